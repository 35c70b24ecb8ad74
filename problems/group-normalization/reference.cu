/* A block for each group, in double: mean, variance, result, each output rounded once. */
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

__global__ static void
normalize(const float *X, const float *gamma, const float *beta, float *Y, int C,
          int area, int G, double eps)
{
    const int channels = C / G, count = channels * area;
    const int first = (int)blockIdx.x % G * channels;
    const float *x = X + (size_t)blockIdx.x * count;
    float *y = Y + (size_t)blockIdx.x * count;
    double sum = 0, squares = 0, mean, scale;

    for (int i = (int)threadIdx.x; i < count; i += THREADS)
        sum += x[i];
    mean = block_sum(sum) / count;
    for (int i = (int)threadIdx.x; i < count; i += THREADS)
        squares += (x[i] - mean) * (x[i] - mean);
    scale = 1 / sqrt(block_sum(squares) / count + eps);
    for (int i = (int)threadIdx.x; i < count; i += THREADS) {
        int c = first + i / area;

        y[i] = (float)(gamma[c] * (x[i] - mean) * scale + beta[c]);
    }
}

extern "C" void
solve(const float *X, const float *gamma, const float *beta, float *Y, int N, int C,
      int H, int W, int G, float eps)
{
    unsigned groups = (unsigned)(N * G);

    normalize<<<groups, THREADS>>>(X, gamma, beta, Y, C, H * W, G, eps);
}
