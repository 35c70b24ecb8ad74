/* Sum and quotient in double, rounded once: a block for each row. */
#define THREADS 256

/* The sum over the block, in every thread, always in the same order. */
__device__ static double
block_sum(double value)
{
    __shared__ double tree[THREADS];

    tree[threadIdx.x] = value;
    __syncthreads();
    for (unsigned half = THREADS / 2; half > 0; half /= 2) {
        if (threadIdx.x < half)
            tree[threadIdx.x] += tree[threadIdx.x + half];
        __syncthreads();
    }
    return tree[0];
}

__global__ static void
normalize(const float *input, float *output, int N, double eps)
{
    const float *row = input + (size_t)blockIdx.x * N;
    double sum = 0;

    for (int c = (int)threadIdx.x; c < N; c += THREADS)
        sum += fabs((double)row[c]);
    sum = fmax(block_sum(sum), eps);
    for (int c = (int)threadIdx.x; c < N; c += THREADS)
        output[(size_t)blockIdx.x * N + c] = (float)(row[c] / sum);
}

extern "C" void
solve(const float *input, float *output, int M, int N, float eps)
{
    normalize<<<M, THREADS>>>(input, output, N, eps);
}
