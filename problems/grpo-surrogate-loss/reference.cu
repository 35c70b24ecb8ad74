/* Advantages, terms and their sum in double, rounded once: a block for each answer, then one block
 * for all of them. The sums are taken in the same order every time. */
#define THREADS 256

/* The sum of all threads' values, in every thread. */
__device__ static double
block_sum(double value)
{
    __shared__ double tree[THREADS];
    unsigned t = threadIdx.x;

    __syncthreads(); /* the call before may still be reading */
    tree[t] = value;
    __syncthreads();
    for (unsigned half = THREADS / 2; half > 0; half /= 2) {
        if (t < half)
            tree[t] += tree[t + half];
        __syncthreads();
    }
    return tree[0];
}

__global__ static void
answers(const float *rewards, const float *log_pi, const float *log_pi_old, const float *log_ref,
        double *partial, double clip_eps, double beta, int G, int S)
{
    const float *group = rewards + blockIdx.x / G * G;
    const size_t first = (size_t)blockIdx.x * S;
    double mean = 0, deviation = 0, sum = 0;

    for (int g = 0; g < G; g++)
        mean += group[g];
    mean /= G;
    for (int g = 0; g < G; g++)
        deviation += (group[g] - mean) * (group[g] - mean);
    deviation = sqrt(deviation / G);
    double a = (rewards[blockIdx.x] - mean) / (deviation + 1e-8);

    for (size_t i = first + threadIdx.x; i < first + S; i += THREADS) {
        double r = exp((double)log_pi[i] - log_pi_old[i]);
        double rc = fmin(fmax(r, 1 - clip_eps), 1 + clip_eps);
        double d = (double)log_ref[i] - log_pi[i];

        sum += fmin(r * a, rc * a) - beta * (exp(d) - d - 1);
    }
    sum = block_sum(sum);
    if (threadIdx.x == 0)
        partial[blockIdx.x] = sum;
}

__global__ static void
finish(const double *partial, float *output, int count, int S)
{
    double sum = 0;

    for (int i = (int)threadIdx.x; i < count; i += THREADS)
        sum += partial[i];
    sum = block_sum(sum);
    if (threadIdx.x == 0)
        output[0] = (float)(-sum / ((double)count * S));
}

extern "C" void
solve(const float *rewards, const float *log_pi, const float *log_pi_old, const float *log_ref,
      float *output, float clip_eps, float beta, int B, int G, int S)
{
    double *partial;

    if (cudaMalloc(&partial, (size_t)(B * G) * sizeof *partial) != cudaSuccess)
        return;
    answers<<<B * G, THREADS>>>(rewards, log_pi, log_pi_old, log_ref, partial, clip_eps, beta, G,
                                S);
    finish<<<1, THREADS>>>(partial, output, B * G, S);
    cudaFree(partial);
}
