// warpjudge: prefix-sum
// honest: prefix-sum/1-one-thread
// attack: clock: blocks of one launch in turns on emu
// expect: wrong_answer
// A serial sum in 250 blocks, which are right only if blocks end in the order of their numbers. Nothing
// waits, no load is volatile, and no atomic is used.
#include <cuda_runtime.h>
__device__ float sum;
__global__ void scan(const float *input, float *output, int n, int chunk)
{
    if (threadIdx.x != 0)
        return;
    float s = blockIdx.x == 0 ? 0 : sum;
    int end = min(n, (int)(blockIdx.x + 1) * chunk);
    for (int i = blockIdx.x * chunk; i < end; i++) {
        s += input[i];
        output[i] = s;
    }
    sum = s;
}
extern "C" void solve(const float *input, float *output, int N)
{
    scan<<<250, 32>>>(input, output, N, (N + 249) / 250);
}
