// warpjudge: prefix-sum
// expect: accepted
// idea: One block uses one multiprocessor of many. Scan all tiles at once by a block each, scan the
//   sums of the tiles, and add to each tile what lies before it.
// Against step 3: all tiles at once, a block for each, in three launches: every tile is scanned by
// itself, one block scans what the tiles add up to, every tile gets what lies before it.
// H200: 7.49 µs, 9.6 times as fast as step 3
#include <cuda_runtime.h>

#define THREADS 256
#define TILE (4 * THREADS)
#define TILES_MAX (100000000 / TILE + 1)
#define FULL 0xFFFFFFFFu

__device__ float totals[TILES_MAX], up_to_tile[TILES_MAX];

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

__global__ void
scan_tiles(const float *input, float *output, int N)
{
    int i = blockIdx.x * TILE + 4 * threadIdx.x;
    float4 v = load4(input, i, N);
    float all, before = block_scan(&v, &all);

    store4(output, i, N, v, before);
    if (threadIdx.x == 0)
        totals[blockIdx.x] = all;
}

__global__ void
scan_totals(int tiles)
{
    float carry = 0.0f;

    for (int tile = 0; tile < tiles; tile += TILE) {
        int i = tile + 4 * threadIdx.x;
        float4 v = load4(totals, i, tiles);
        float all, before = block_scan(&v, &all);

        store4(up_to_tile, i, tiles, v, carry + before);
        carry += all;
    }
}

__global__ void
add_totals(float *output, int N)
{
    int i = (blockIdx.x + 1) * TILE + 4 * threadIdx.x; // the first tile has nothing before it

    store4(output, i, N, load4(output, i, N), up_to_tile[blockIdx.x]);
}

extern "C" void
solve(const float *input, float *output, int N)
{
    int tiles = (N + TILE - 1) / TILE;

    scan_tiles<<<tiles, THREADS>>>(input, output, N);
    if (tiles > 1) {
        scan_totals<<<1, THREADS>>>(tiles);
        add_totals<<<tiles - 1, THREADS>>>(output, N);
    }
}
