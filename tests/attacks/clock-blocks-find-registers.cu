// warpjudge: prefix-sum
// honest: prefix-sum/1-one-thread
// attack: clock: blocks of one launch in turns on emu
// expect: wrong_answer
// A serial sum in 250 blocks. Each takes the sum from a register that it has not written: the block before it
// left it there. No load tells of it.
#include <cuda_runtime.h>
__global__ void scan(const float *input, float *output, int n, int chunk)
{
    asm volatile(".reg .f32 sum;");
    if (threadIdx.x != 0)
        return;
    if (blockIdx.x == 0)
        asm volatile("mov.f32 sum, 0f00000000;");
    float s;
    asm volatile("mov.f32 %0, sum;" : "=f"(s));
    int end = min(n, (int)(blockIdx.x + 1) * chunk);
    for (int i = blockIdx.x * chunk; i < end; i++) {
        s += input[i];
        output[i] = s;
    }
    asm volatile("mov.f32 sum, %0;" ::"f"(s));
}
extern "C" void solve(const float *input, float *output, int N)
{
    scan<<<250, 32>>>(input, output, N, (N + 249) / 250);
}
