/* Two passes in double, each result rounded once: a block for each row. */
#define THREADS 256

/* The sum over the block, in every thread, always in the same order. */
__device__ static double
block_sum(double value)
{
    __shared__ double tree[THREADS];

    __syncthreads();
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
statistics(const float *input, float *mean, float *variance, int N)
{
    const float *row = input + (size_t)blockIdx.x * N;
    double sum = 0, squares = 0, middle;

    for (int c = (int)threadIdx.x; c < N; c += THREADS)
        sum += row[c];
    middle = block_sum(sum) / N;
    for (int c = (int)threadIdx.x; c < N; c += THREADS)
        squares += (row[c] - middle) * (row[c] - middle);
    squares = block_sum(squares);
    if (threadIdx.x == 0) {
        mean[blockIdx.x] = (float)middle;
        variance[blockIdx.x] = (float)(squares / N);
    }
}

extern "C" void
solve(const float *input, float *mean, float *variance, int M, int N)
{
    statistics<<<M, THREADS>>>(input, mean, variance, N);
}
