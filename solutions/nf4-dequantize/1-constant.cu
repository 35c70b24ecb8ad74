// warpjudge: nf4-dequantize
// expect: accepted
// idea: Every code stands for one of sixteen levels, which never change. Give each wanted element a
//   thread, and look its level up in constant memory.
// One thread for each wanted element, the levels in constant memory. Its cache answers one
// address at a time: a warp whose lanes have ten different codes waits for ten answers.
// H200: 4.08 ms
#include <cuda_runtime.h>

__constant__ float level[16] = {
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
    int i = blockIdx.x * blockDim.x + threadIdx.x, e = first + i;

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
