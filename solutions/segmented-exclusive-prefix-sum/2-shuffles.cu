// warpjudge: segmented-exclusive-prefix-sum
// expect: accepted
// idea: A block scans in twenty rounds with barriers, and one thread walks over a hundred thousand sums.
//   Scan by shuffles within warps, and let a block scan the sums.
// A pair (has a flag, sum behind the last flag) stands for a stretch. A ballot tells each lane how far
// back its segment goes, so that only sums are shuffled, and a warp needs no barrier. The pairs of the
// blocks are scanned by one block, 1024 at a time. Still the flags are read twice, and the beginning of each block's output
// is read and written again.
// H200: 1.39 ms, 9.4 times as fast as step 1
#include <cuda_runtime.h>

#define THREADS 1024
#define WARPS (THREADS / 32)
#define FULL 0xFFFFFFFFu

struct pair {
    float sum; // behind the last flag
    int flag;
};

__device__ static pair
join(pair left, pair right)
{
    return {right.flag ? right.sum : left.sum + right.sum, left.flag | right.flag};
}

// The number of lanes before this one that lie in the same segment; heads: whose lanes hold a flag.
__device__ static int
reach(unsigned heads)
{
    unsigned up_to = heads & (FULL >> (31 - threadIdx.x % 32));

    return threadIdx.x % 32 - (up_to ? 31 - __clz(up_to) : 0);
}

// The segmented sum of v over the lanes up to this one, where `before` lanes belong to it.
__device__ static float
warp_scan(float v, int before)
{
#pragma unroll
    for (int distance = 1; distance < 32; distance *= 2) {
        float other = __shfl_up_sync(FULL, v, distance);

        if (distance <= before)
            v += other;
    }
    return v;
}

// The join of all threads' pairs before this one; `all` gets that of the block.
__device__ static pair
block_scan(pair mine, pair *all)
{
    __shared__ pair warps[WARPS];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    unsigned heads = __ballot_sync(FULL, mine.flag);
    pair before = {0.0f, 0}, up_to = {warp_scan(mine.sum, reach(heads)), 0};

    __syncthreads(); // the call before may still be reading
    if (lane == 31)
        warps[warp] = {up_to.sum, heads != 0};
    __syncthreads();
    if (warp == 0) {
        pair of_warp = warps[lane];
        unsigned flags = __ballot_sync(FULL, of_warp.flag);

        of_warp.sum = warp_scan(of_warp.sum, reach(flags));
        of_warp.flag = (flags & (FULL >> (31 - lane))) != 0;
        warps[lane] = of_warp;
    }
    __syncthreads();
    if (warp > 0)
        before = warps[warp - 1];
    *all = warps[WARPS - 1];
    up_to.sum = __shfl_up_sync(FULL, up_to.sum, 1);
    up_to.flag = (heads & ((1u << lane) - 1)) != 0;
    return lane > 0 ? join(before, up_to) : before;
}

__global__ void
scan_blocks(const float *values, const int *flags, float *output, pair *blocks, int N)
{
    int i = blockIdx.x * THREADS + threadIdx.x;
    pair mine = {0.0f, 0}, all, before;

    if (i < N)
        mine = {values[i], flags[i]};
    before = block_scan(mine, &all);
    if (i < N)
        output[i] = mine.flag ? 0.0f : before.sum;
    if (threadIdx.x == 0)
        blocks[blockIdx.x] = all;
}

// One block: each block's pair becomes the join of those before it.
__global__ void
carry(pair *blocks, int count)
{
    pair carried = {0.0f, 0}, all;

    for (int first = 0; first < count; first += THREADS) {
        int b = first + threadIdx.x;
        pair before = block_scan(b < count ? blocks[b] : pair{0.0f, 0}, &all);

        if (b < count)
            blocks[b] = join(carried, before);
        carried = join(carried, all);
    }
}

__global__ void
add_carried(const int *flags, float *output, const pair *blocks, int N)
{
    __shared__ int first; // the block's first flag
    int t = threadIdx.x, i = blockIdx.x * THREADS + t;
    bool head = i < N && flags[i];

    if (t == 0)
        first = THREADS;
    __syncthreads();
    if (head)
        atomicMin(&first, t);
    __syncthreads();
    if (i < N && t < first)
        output[i] += blocks[blockIdx.x].sum;
}

extern "C" void
solve(const float *values, const int *flags, float *output, int N)
{
    int count = (N + THREADS - 1) / THREADS;
    pair *blocks;

    cudaMalloc(&blocks, count * sizeof *blocks);
    scan_blocks<<<count, THREADS>>>(values, flags, output, blocks, N);
    carry<<<1, THREADS>>>(blocks, count);
    add_carried<<<count, THREADS>>>(flags, output, blocks, N);
    cudaFree(blocks);
}
