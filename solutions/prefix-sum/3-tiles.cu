// warpjudge: prefix-sum
// expect: accepted
// idea: Each thread walks through a share of its own, so that the loads of a warp lie far apart. Go
//   through the input tile by tile, with neighbours for neighbouring threads, and carry the sum on.
// Against step 2: the block goes through the input tile by tile, 4096 neighbours at a time, so that
// warps read and write 512 bytes in a row; what a tile adds up to is carried to the next. A tile is
// scanned by shuffles: a thread's four elements, the 32 threads of a warp, the 32 warps.
// H200: 71.7 µs, 5.2 times as fast as step 2
#include <cuda_runtime.h>

#define THREADS 1024
#define TILE (4 * THREADS)
#define FULL 0xFFFFFFFFu

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
scan(const float *input, float *output, int N)
{
    float carry = 0.0f;

    for (int tile = 0; tile < N; tile += TILE) {
        int i = tile + 4 * threadIdx.x;
        float4 v = load4(input, i, N);
        float all, before = block_scan(&v, &all);

        store4(output, i, N, v, carry + before);
        carry += all;
    }
}

extern "C" void
solve(const float *input, float *output, int N)
{
    scan<<<1, THREADS>>>(input, output, N);
}
