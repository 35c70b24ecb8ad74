/* Softmax over the vector in double, each probability rounded once. The first kernel leaves
 * each block's maximum and its sum relative to that maximum; every block of the second joins
 * them all, in the same order, and writes its slice. */
#define BLOCKS 256
#define THREADS 256

__device__ static double partial_top[BLOCKS], partial_sum[BLOCKS];

struct pair {
    double top, sum; /* the maximum, and the sum of exp(x - top) */
};

__device__ static pair
join(pair a, pair b)
{
    if (a.sum == 0)
        return b;
    if (b.sum == 0)
        return a;
    double top = a.top > b.top ? a.top : b.top;

    return {top, a.sum * exp(a.top - top) + b.sum * exp(b.top - top)};
}

/* The join over the block, in every thread. */
__device__ static pair
block_join(pair value)
{
    __shared__ double top[THREADS], sum[THREADS];
    unsigned t = threadIdx.x;

    top[t] = value.top;
    sum[t] = value.sum;
    __syncthreads();
    for (unsigned half = THREADS / 2; half > 0; half /= 2) {
        if (t < half) {
            pair joined = join({top[t], sum[t]}, {top[t + half], sum[t + half]});

            top[t] = joined.top;
            sum[t] = joined.sum;
        }
        __syncthreads();
    }
    return {top[0], sum[0]};
}

__global__ static void
scan_slices(const float *input, int N)
{
    pair mine = {0, 0};

    for (int i = (int)(blockIdx.x * THREADS + threadIdx.x); i < N; i += BLOCKS * THREADS)
        mine = join(mine, {(double)input[i], 1.0});
    mine = block_join(mine);
    if (threadIdx.x == 0) {
        partial_top[blockIdx.x] = mine.top;
        partial_sum[blockIdx.x] = mine.sum;
    }
}

__global__ static void
write_slices(const float *input, float *output, int N)
{
    /* BLOCKS == THREADS: one partial for each thread */
    pair all = block_join({partial_top[threadIdx.x], partial_sum[threadIdx.x]});

    for (int i = (int)(blockIdx.x * THREADS + threadIdx.x); i < N; i += BLOCKS * THREADS)
        output[i] = (float)(exp((double)input[i] - all.top) / all.sum);
}

extern "C" void
solve(const float *input, float *output, int N)
{
    scan_slices<<<BLOCKS, THREADS>>>(input, N);
    write_slices<<<BLOCKS, THREADS>>>(input, output, N);
}
