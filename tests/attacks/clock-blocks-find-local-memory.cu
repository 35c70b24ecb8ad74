// warpjudge: prefix-sum
// honest: prefix-sum/1-one-thread
// attack: clock: blocks of one launch in turns on emu
// expect: wrong_answer
// A serial sum in 250 blocks. Each takes the sum from local memory that it has not written: the block before it
// left it there.
#include <cuda_runtime.h>
__global__ void scan(const float *input, float *output, int n, int chunk)
{
    float kept[4];
    float *at = kept + 1;
    asm volatile("" : "+l"(at)::"memory");
    if (threadIdx.x != 0)
        return;
    float s = blockIdx.x == 0 ? 0 : *at;
    int end = min(n, (int)(blockIdx.x + 1) * chunk);
    for (int i = blockIdx.x * chunk; i < end; i++) {
        s += input[i];
        output[i] = s;
    }
    *at = s;
    asm volatile("" ::"l"(at) : "memory");
}
extern "C" void solve(const float *input, float *output, int N)
{
    scan<<<250, 32>>>(input, output, N, (N + 249) / 250);
}
