/*
 * Sums in double. A stretch of the input is a pair: whether it holds a flag, and the sum behind
 * its last one. Each thread folds PIECE neighbours into such a pair, a block joins its threads'
 * pairs by a scan, one block joins the blocks', and all of it is then run again with the sums
 * that are now known. Always in the same order.
 */
#define THREADS 256
#define PIECE 16

struct pair {
    double sum;
    int flag;
};

__device__ static pair
join(pair left, pair right)
{
    return {right.flag ? right.sum : left.sum + right.sum, left.flag | right.flag};
}

/* The join of the threads' pairs before this one; `all` gets that of the whole block. */
__device__ static pair
block_scan(pair mine, pair *all)
{
    __shared__ pair scanned[THREADS];
    unsigned t = threadIdx.x;

    scanned[t] = mine;
    __syncthreads();
    for (unsigned step = 1; step < THREADS; step *= 2) {
        pair left = t >= step ? scanned[t - step] : pair{0, 0};

        __syncthreads();
        scanned[t] = join(left, scanned[t]);
        __syncthreads();
    }
    *all = scanned[THREADS - 1];
    return t ? scanned[t - 1] : pair{0, 0};
}

__device__ static pair
fold(const float *values, const int *flags, size_t first, size_t end)
{
    pair p = {0, 0};

    for (size_t i = first; i < end; i++)
        p = join(p, {(double)values[i], flags[i]});
    return p;
}

__global__ static void
blocks_fold(const float *values, const int *flags, pair *blocks, size_t N)
{
    size_t first = min(N, ((size_t)blockIdx.x * THREADS + threadIdx.x) * PIECE);
    pair all;

    block_scan(fold(values, flags, first, min(N, first + PIECE)), &all);
    if (threadIdx.x == 0)
        blocks[blockIdx.x] = all;
}

/* One block: each block's pair becomes the join of those before it. */
__global__ static void
blocks_scan(pair *blocks, unsigned count)
{
    pair carry = {0, 0}, all;

    for (unsigned first = 0; first < count; first += THREADS) {
        unsigned b = first + threadIdx.x;
        pair before = block_scan(b < count ? blocks[b] : pair{0, 0}, &all);

        if (b < count)
            blocks[b] = join(carry, before);
        carry = join(carry, all);
        __syncthreads();
    }
}

__global__ static void
write(const float *values, const int *flags, const pair *blocks, float *output, size_t N)
{
    size_t first = min(N, ((size_t)blockIdx.x * THREADS + threadIdx.x) * PIECE);
    size_t end = min(N, first + PIECE);
    pair all, before = block_scan(fold(values, flags, first, end), &all);
    double sum = join(blocks[blockIdx.x], before).sum;

    for (size_t i = first; i < end; i++) {
        if (flags[i])
            sum = 0;
        output[i] = (float)sum;
        sum += values[i];
    }
}

extern "C" void
solve(const float *values, const int *flags, float *output, int N)
{
    unsigned count = (unsigned)(((size_t)N + THREADS * PIECE - 1) / (THREADS * PIECE));
    pair *blocks;

    if (cudaMalloc(&blocks, count * sizeof *blocks) != cudaSuccess)
        return;
    blocks_fold<<<count, THREADS>>>(values, flags, blocks, (size_t)N);
    blocks_scan<<<1, THREADS>>>(blocks, count);
    write<<<count, THREADS>>>(values, flags, blocks, output, (size_t)N);
    cudaFree(blocks);
}
