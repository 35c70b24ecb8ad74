// warpjudge: prefix-sum
// expect: accepted
// Beside the ladder. Against its step 5: one launch, and the input is read once. A block tells what its tile adds up to as soon
// as it knows, and as soon as it knows that too, what all adds up to until the tile's end. The next
// block's first warp looks back over its predecessors, 32 at a time, until it meets one of the latter.
// Tiles are handed out in the order in which blocks begin, so that whom a block waits for is at work.
// H200: 8.3 us by events, step 5 takes 8.1: no gain at this size.
#include <cuda_runtime.h>

#define THREADS 256
#define TILE (4 * THREADS)
#define TILES_MAX (100000000 / TILE + 1)
#define TILE_ONLY 1u // what a word's value is the sum of
#define UP_TO_TILE 2u
#define FULL 0xFFFFFFFFu

// For each tile a value (low 32 bits), and above it the number of the call and what the value is.
__device__ unsigned long long told[TILES_MAX];
__device__ unsigned handed_out; // tiles; back to 0 at the end of every launch

// The sum of v over the lanes up to this one.
__device__ static float
warp_scan(float v)
{
    for (int distance = 1; distance < 32; distance *= 2) {
        float other = __shfl_up_sync(FULL, v, distance);

        if (threadIdx.x % 32 >= distance)
            v += other;
    }
    return v;
}

// v becomes the sums from v.x to each, and *all the sum over the block; the result is what lies before
// v in the block.
__device__ static float
block_scan(float4 *v, float *all)
{
    __shared__ float warps[THREADS / 32];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    float warp_up_to, in_warp, up_to, before;

    v->y += v->x;
    v->z += v->y;
    v->w += v->z;
    warp_up_to = warp_scan(v->w);
    in_warp = __shfl_up_sync(FULL, warp_up_to, 1);
    __syncthreads(); // the sums of the call before have been read
    if (lane == 31)
        warps[warp] = warp_up_to;
    __syncthreads();
    up_to = warp_scan(lane < THREADS / 32 ? warps[lane] : 0.0f);
    *all = __shfl_sync(FULL, up_to, 31);
    before = __shfl_sync(FULL, up_to, max(warp - 1, 0));
    return (warp > 0 ? before : 0.0f) + (lane > 0 ? in_warp : 0.0f);
}

__device__ static float4
load4(const float *from, int i, int N)
{
    if (i + 3 < N)
        return *(const float4 *)(from + i);
    return make_float4(i < N ? from[i] : 0.0f, i + 1 < N ? from[i + 1] : 0.0f,
                       i + 2 < N ? from[i + 2] : 0.0f, 0.0f);
}

__device__ static void
store4(float *to, int i, int N, float4 v, float before)
{
    v = make_float4(before + v.x, before + v.y, before + v.z, before + v.w);
    if (i + 3 < N) {
        *(float4 *)(to + i) = v;
        return;
    }
    if (i < N)
        to[i] = v.x;
    if (i + 1 < N)
        to[i + 1] = v.y;
    if (i + 2 < N)
        to[i + 2] = v.z;
}

__device__ static void
tell(int tile, unsigned call, unsigned what, float value)
{
    unsigned long long word = (unsigned long long)(4 * call + what) << 32 | __float_as_uint(value);

    *(volatile unsigned long long *)&told[tile] = word; // value and flag in one: no fence
}

// What all tiles before this one add up to; for a whole warp.
__device__ static float
look_back(int tile, unsigned call)
{
    int lane = threadIdx.x % 32;
    float sum = 0.0f;

    for (int last = tile - 1;; last -= 32) {
        unsigned long long word = (unsigned long long)(4 * call + UP_TO_TILE) << 32; // 0.0f
        unsigned done;
        float v;

        if (last - lane >= 0)
            do
                word = *(volatile unsigned long long *)&told[last - lane];
            while (word >> 34 != call);
        // Lanes beyond the first that knows the sum from the beginning have no part in it.
        done = __ballot_sync(FULL, (word >> 32 & UP_TO_TILE) != 0);
        v = done == 0 || lane < __ffs(done) ? __uint_as_float((unsigned)word) : 0.0f;
        for (int offset = 16; offset > 0; offset /= 2)
            v += __shfl_xor_sync(FULL, v, offset);
        sum += v;
        if (done != 0)
            return sum;
    }
}

__global__ void
scan(const float *input, float *output, int N, unsigned call)
{
    __shared__ int tile;
    __shared__ float tiles_before;
    float4 v;
    float all, before;
    int i;

    if (threadIdx.x == 0) {
        tile = atomicAdd(&handed_out, 1);
        if (tile == gridDim.x - 1)
            handed_out = 0;
    }
    __syncthreads();
    i = tile * TILE + 4 * threadIdx.x;
    v = load4(input, i, N);
    before = block_scan(&v, &all);
    if (threadIdx.x < 32) {
        float sum;

        if (threadIdx.x == 0)
            tell(tile, call, tile == 0 ? UP_TO_TILE : TILE_ONLY, all);
        sum = look_back(tile, call);
        if (threadIdx.x == 0) {
            tell(tile, call, UP_TO_TILE, sum + all);
            tiles_before = sum;
        }
    }
    __syncthreads();
    store4(output, i, N, v, tiles_before + before);
}

extern "C" void
solve(const float *input, float *output, int N)
{
    static unsigned call; // what earlier calls told is told apart by it, and never cleared

    call = call % ((1u << 30) - 1) + 1;
    scan<<<(N + TILE - 1) / TILE, THREADS>>>(input, output, N, call);
}
