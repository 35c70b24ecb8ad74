/* Each sample's loss in double by a block of its own; one block adds them up, in an order
 * that is always the same. */
#define THREADS 128
#define SAMPLES_MAX 10000

__device__ static double losses[SAMPLES_MAX];

/* The sum or the maximum over the block, in every thread. */
template <bool MAXIMUM>
__device__ static double
join(double value)
{
    __shared__ double tree[THREADS];
    const unsigned t = threadIdx.x;

    tree[t] = value;
    __syncthreads();
    for (unsigned half = THREADS / 2; half > 0; half /= 2) {
        if (t < half)
            tree[t] = MAXIMUM ? fmax(tree[t], tree[t + half]) : tree[t] + tree[t + half];
        __syncthreads();
    }
    value = tree[0];
    __syncthreads();
    return value;
}

__global__ static void
find_losses(const float *logits, const int *true_labels, int C)
{
    const float *z = logits + (size_t)blockIdx.x * C;
    double top = -INFINITY, sum = 0;

    for (int c = (int)threadIdx.x; c < C; c += THREADS)
        top = fmax(top, (double)z[c]);
    top = join<true>(top);
    for (int c = (int)threadIdx.x; c < C; c += THREADS)
        sum += exp(z[c] - top);
    sum = join<false>(sum);
    if (threadIdx.x == 0)
        losses[blockIdx.x] = top + log(sum) - z[true_labels[blockIdx.x]];
}

__global__ static void
average(float *loss, int N)
{
    double sum = 0;

    for (int j = (int)threadIdx.x; j < N; j += THREADS)
        sum += losses[j];
    sum = join<false>(sum);
    if (threadIdx.x == 0)
        loss[0] = (float)(sum / N);
}

extern "C" void
solve(const float *logits, const int *true_labels, float *loss, int N, int C)
{
    find_losses<<<(unsigned)N, THREADS>>>(logits, true_labels, C);
    average<<<1, THREADS>>>(loss, N);
}
