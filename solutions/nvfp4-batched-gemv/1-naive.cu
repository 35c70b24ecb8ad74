// warpjudge: nvfp4-batched-gemv
// expect: accepted
// idea: Twice the magnitude of each code is a whole number, so that a block's sum is exact in
//   integers. Give each row a warp, a scale block to each lane, and look the magnitudes up.
// A warp for each row, a scale block a lane: its 16 codes are one 64-bit word. Twice the magnitudes
// are whole numbers, so a block's sum is exact in integers. Each product looks up two of them in
// shared memory, and that is what it waits for.
// H200: 3.26 ms
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <stdint.h>

#define WARPS 4

__device__ float
scale(uint8_t byte)
{
    return __half2float(__nv_cvt_fp8_to_halfraw(byte, __NV_E4M3));
}

__global__ void
rows(const uint64_t *a, const uint8_t *sfa, const uint64_t *x, const uint8_t *sfx, half *y, int M,
     int blocks)
{
    __shared__ int doubled[16];
    int m = blockIdx.x * WARPS + threadIdx.y, l = blockIdx.y, t = threadIdx.y * 32 + threadIdx.x;
    size_t row = ((size_t)l * M + m) * blocks, vector = (size_t)l * blocks;
    float sum = 0.0f;

    if (t < 16) {
        const int magnitude[8] = {0, 1, 2, 3, 4, 6, 8, 12};

        doubled[t] = t < 8 ? magnitude[t] : -magnitude[t - 8];
    }
    __syncthreads();
    if (m >= M)
        return;
    for (int b = threadIdx.x; b < blocks; b += 32) {
        uint64_t left = a[row + b], right = x[vector + b];
        int quarters = 0;

        for (int k = 0; k < 64; k += 4)
            quarters += doubled[left >> k & 15] * doubled[right >> k & 15];
        sum += 0.25f * quarters * (scale(sfa[row + b]) * scale(sfx[vector + b]));
    }
    for (int offset = 16; offset > 0; offset /= 2)
        sum += __shfl_down_sync(0xFFFFFFFFu, sum, offset);
    if (threadIdx.x == 0)
        y[(size_t)l * M + m] = __float2half(sum);
}

extern "C" void
solve(const uint8_t *a, const uint8_t *sfa, const uint8_t *x, const uint8_t *sfx, half *y, int M,
      int K, int L)
{
    rows<<<dim3((M + WARPS - 1) / WARPS, L), dim3(32, WARPS)>>>(
        (const uint64_t *)a, sfa, (const uint64_t *)x, sfx, y, M, K / 16);
}
