// warpjudge: nf4-dequantize
// expect: accepted
// idea: Constant memory answers one address at a time, and the lanes of a warp have different
//   codes. Put the levels into shared memory, where each has a bank of its own.
// Against step 1: the levels lie in shared memory. There the 16 levels have a bank each, so that
// lanes with different codes read theirs at once, whatever the codes are.
// H200: 2.65 ms, 1.54 times as fast as step 1
#include <cuda_runtime.h>

__constant__ float nf4[16] = {
    -1.0f,
    -0.6961928009986877f,
    -0.5250730514526367f,
    -0.39491748809814453f,
    -0.28444138169288635f,
    -0.18477343022823334f,
    -0.09105003625154495f,
    0.0f,
    0.07958029955625534f,
    0.16093020141124725f,
    0.24611230194568634f,
    0.33791524171829224f,
    0.44070982933044434f,
    0.5626170039176941f,
    0.7229568362236023f,
    1.0f,
};

__global__ void
decode(const unsigned char *packed, const float *absmax, float *output, int first, int count)
{
    __shared__ float level[16];
    int i = blockIdx.x * blockDim.x + threadIdx.x, e = first + i;

    if (threadIdx.x < 16)
        level[threadIdx.x] = nf4[threadIdx.x];
    __syncthreads();
    if (i >= count)
        return;
    unsigned char pair = packed[e / 2];

    output[i] = level[e % 2 ? pair & 15 : pair >> 4] * absmax[e / 64];
}

extern "C" void
solve(const unsigned char *packed, const float *absmax, float *output, int N, int first, int count)
{
    decode<<<(count + 255) / 256, 256>>>(packed, absmax, output, first, count);
}
