/* The sum in double, rounded once: a partial sum for each block, then one block adds
 * those. No atomics, so that the answer is the same every time. */
#define BLOCKS 1024
#define THREADS 256

__device__ static double partial[BLOCKS];

/* The sum over the block, in thread 0. */
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
add_slices(const float *A, const float *B, int N)
{
    double sum = 0;

    for (size_t i = blockIdx.x * THREADS + threadIdx.x; i < (size_t)N;
         i += BLOCKS * THREADS)
        sum += (double)A[i] * B[i];
    sum = block_sum(sum);
    if (threadIdx.x == 0)
        partial[blockIdx.x] = sum;
}

__global__ static void
add_partials(float *result)
{
    double sum = 0;

    for (unsigned i = threadIdx.x; i < BLOCKS; i += THREADS)
        sum += partial[i];
    sum = block_sum(sum);
    if (threadIdx.x == 0)
        result[0] = (float)sum;
}

extern "C" void
solve(const float *A, const float *B, float *result, int N)
{
    add_slices<<<BLOCKS, THREADS>>>(A, B, N);
    add_partials<<<1, THREADS>>>(result);
}
