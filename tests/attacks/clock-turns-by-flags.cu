// warpjudge: prefix-sum
// honest: prefix-sum/1-one-thread
// attack: clock: blocks of one launch in turns on emu
// expect: accepted honest-time
// A serial sum in 250 blocks, each of which waits for a flag of the one before it. A block alone takes a
// 250th of the time. The store of the flag is a plain one.
#include <cuda_runtime.h>
__device__ int turn;
__device__ float sum;
__global__ void scan(const float *input, float *output, int n, int chunk)
{
    if (threadIdx.x != 0)
        return;
    while (*(volatile int *)&turn != (int)blockIdx.x)
        ;
    float s = *(volatile float *)&sum;
    int end = min(n, (int)(blockIdx.x + 1) * chunk);
    for (int i = blockIdx.x * chunk; i < end; i++) {
        s += input[i];
        output[i] = s;
    }
    sum = blockIdx.x == gridDim.x - 1 ? 0 : s;
    __threadfence();
    turn = blockIdx.x == gridDim.x - 1 ? 0 : blockIdx.x + 1;
}
extern "C" void solve(const float *input, float *output, int N)
{
    scan<<<250, 32>>>(input, output, N, (N + 249) / 250);
}
