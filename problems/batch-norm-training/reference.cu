/* A block for each channel: two passes for mean and variance in double, a third for the output. Sums
 * are taken by a tree, in the same order every time. */
#define THREADS 512

/* The sum over the block, in every thread. */
__device__ static double
block_sum(double value)
{
    __shared__ double tree[THREADS];
    const unsigned t = threadIdx.x;

    tree[t] = value;
    __syncthreads();
    for (unsigned half = THREADS / 2; half > 0; half /= 2) {
        if (t < half)
            tree[t] += tree[t + half];
        __syncthreads();
    }
    value = tree[0];
    __syncthreads();
    return value;
}

__global__ static void __launch_bounds__(THREADS)
normalize(const float *x, const float *gamma, const float *beta, float *running_mean, float *running_var, float *y,
          float *save_mean, float *save_invstd, int N, int C, int plane, double eps, double momentum)
{
    const size_t c = blockIdx.x;
    const double count = (double)N * plane;
    double sum = 0, squares = 0, mean, inverse;

    for (int n = 0; n < N; n++)
        for (int i = (int)threadIdx.x; i < plane; i += THREADS)
            sum += x[((size_t)n * C + c) * plane + i];
    mean = block_sum(sum) / count;
    for (int n = 0; n < N; n++)
        for (int i = (int)threadIdx.x; i < plane; i += THREADS) {
            double d = x[((size_t)n * C + c) * plane + i] - mean;

            squares += d * d;
        }
    squares = block_sum(squares);
    inverse = 1 / sqrt(squares / count + eps);
    for (int n = 0; n < N; n++)
        for (int i = (int)threadIdx.x; i < plane; i += THREADS) {
            size_t at = ((size_t)n * C + c) * plane + i;

            y[at] = (float)(gamma[c] * (x[at] - mean) * inverse + beta[c]);
        }
    if (threadIdx.x == 0) {
        save_mean[c] = (float)mean;
        save_invstd[c] = (float)inverse;
        running_mean[c] = (float)((1 - momentum) * running_mean[c] + momentum * mean);
        running_var[c] = (float)((1 - momentum) * running_var[c] + momentum * squares / (count - 1));
    }
}

extern "C" void
solve(const float *x, const float *gamma, const float *beta, float *running_mean, float *running_var, float *y,
      float *save_mean, float *save_invstd, int N, int C, int H, int W, float eps, float momentum)
{
    normalize<<<(unsigned)C, THREADS>>>(x, gamma, beta, running_mean, running_var, y, save_mean, save_invstd, N, C,
                                        H * W, eps, momentum);
}
