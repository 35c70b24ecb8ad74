/*
 * Sums in double. A stretch of the input is a pair: whether it holds a flag, and the sum behind
 * its last one. Each thread folds PIECE neighbours into such a pair, a block joins its threads'
 * pairs by a scan, one block joins the blocks', and all of it is then run again with the sums
 * that are now known. Always in the same order.
 */
#define THREADS 256
#define PIECE 16
#define EACH (THREADS * PIECE) /* elements of a block */

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
    __shared__ pair warps[THREADS / 32];
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    pair before = {0, 0};

    for (unsigned step = 1; step < 32; step *= 2) {
        pair left = {__shfl_up_sync(~0u, mine.sum, step), __shfl_up_sync(~0u, mine.flag, step)};

        if (lane >= step)
            mine = join(left, mine);
    }
    if (lane == 31)
        warps[warp] = mine;
    __syncthreads();
    *all = {0, 0};
    for (unsigned w = 0; w < THREADS / 32; w++) {
        if (w == warp)
            before = *all;
        *all = join(*all, warps[w]);
    }
    mine = {__shfl_up_sync(~0u, mine.sum, 1), __shfl_up_sync(~0u, mine.flag, 1)};
    return lane ? join(before, mine) : before;
}

/* A thread's part of the input; behind the end are zeros without flags. */
struct piece {
    alignas(16) float values[PIECE];
    alignas(16) int flags[PIECE];
};

/* Reads 16 bytes at once, for which the arrays are aligned. */
__device__ static piece
read(const float *values, const int *flags, size_t first, size_t N)
{
    piece p;

    if (first + PIECE <= N) {
#pragma unroll
        for (int k = 0; k < PIECE / 4; k++) {
            ((float4 *)p.values)[k] = ((const float4 *)(values + first))[k];
            ((int4 *)p.flags)[k] = ((const int4 *)(flags + first))[k];
        }
        return p;
    }
#pragma unroll
    for (int k = 0; k < PIECE; k++) {
        p.values[k] = first + k < N ? values[first + k] : 0;
        p.flags[k] = first + k < N ? flags[first + k] : 0;
    }
    return p;
}

__device__ static pair
fold(const piece *of)
{
    pair p = {0, 0};

#pragma unroll
    for (int k = 0; k < PIECE; k++)
        p = join(p, {(double)of->values[k], of->flags[k]});
    return p;
}

__global__ static void
blocks_fold(const float *values, const int *flags, pair *blocks, size_t N)
{
    const piece mine = read(values, flags, blockIdx.x * (size_t)EACH + threadIdx.x * PIECE, N);
    pair all;

    block_scan(fold(&mine), &all);
    if (threadIdx.x == 0)
        blocks[blockIdx.x] = all;
}

/* One block: each block's pair becomes the join of those before it. */
__global__ static void
blocks_scan(pair *blocks, unsigned count)
{
    const unsigned each = (count + THREADS - 1) / THREADS;
    const unsigned first = min(count, threadIdx.x * each), end = min(count, first + each);
    pair mine = {0, 0}, all;

    for (unsigned b = first; b < end; b++)
        mine = join(mine, blocks[b]);
    pair before = block_scan(mine, &all);
    for (unsigned b = first; b < end; b++) {
        const pair next = join(before, blocks[b]);

        blocks[b] = before;
        before = next;
    }
}

__global__ static void
write(const float *values, const int *flags, const pair *blocks, float *output, size_t N)
{
    const size_t first = blockIdx.x * (size_t)EACH + threadIdx.x * PIECE;
    const piece mine = read(values, flags, first, N);
    pair all, before = block_scan(fold(&mine), &all);
    double sum = join(blocks[blockIdx.x], before).sum;
    alignas(16) float out[PIECE];

#pragma unroll
    for (int k = 0; k < PIECE; k++) {
        if (mine.flags[k])
            sum = 0;
        out[k] = (float)sum;
        sum += mine.values[k];
    }
#pragma unroll
    for (int k = 0; k < PIECE; k++)
        if (first + PIECE <= N) {
            if (k % 4 == 0)
                *(float4 *)(output + first + k) = *(const float4 *)(out + k);
        } else if (first + k < N) {
            output[first + k] = out[k];
        }
}

extern "C" void
solve(const float *values, const int *flags, float *output, int N)
{
    unsigned count = (unsigned)(((size_t)N + EACH - 1) / EACH);
    pair *blocks;

    if (cudaMalloc(&blocks, count * sizeof *blocks) != cudaSuccess)
        return;
    blocks_fold<<<count, THREADS>>>(values, flags, blocks, (size_t)N);
    blocks_scan<<<1, THREADS>>>(blocks, count);
    write<<<count, THREADS>>>(values, flags, blocks, output, (size_t)N);
    cudaFree(blocks);
}
