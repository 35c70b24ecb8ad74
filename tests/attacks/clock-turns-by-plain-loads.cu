// warpjudge: prefix-sum
// honest: prefix-sum/1-one-thread
// attack: clock: blocks of one launch in turns on emu
// expect: accepted honest-time|wrong_answer
// A serial sum in 250 blocks, each of which waits for the block before it. All loads and stores are plain
// ones: the compiler is only kept from moving them. An H100 answers some of them from L1, so that its sums are wrong.
#include <cuda_runtime.h>
__device__ int turn;
__device__ float sum;
__global__ void scan(const float *input, float *output, int n, int chunk)
{
    if (threadIdx.x != 0)
        return;
    for (;;) {
        asm volatile("" ::: "memory");
        if (turn == (int)blockIdx.x)
            break;
    }
    float s = sum;
    int end = min(n, (int)(blockIdx.x + 1) * chunk);
    for (int i = blockIdx.x * chunk; i < end; i++) {
        s += input[i];
        output[i] = s;
    }
    sum = blockIdx.x == gridDim.x - 1 ? 0 : s;
    asm volatile("" ::: "memory");
    turn = blockIdx.x == gridDim.x - 1 ? 0 : blockIdx.x + 1;
}
extern "C" void solve(const float *input, float *output, int N)
{
    scan<<<250, 32>>>(input, output, N, (N + 249) / 250);
}
