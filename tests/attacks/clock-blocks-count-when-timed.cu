// warpjudge: prefix-sum
// honest: prefix-sum/1-one-thread
// attack: clock: blocks of one launch in turns on emu
// expect: wrong_answer
// expect-cuda: wrong_answer|accepted honest-time
// A serial sum in 250 blocks, at the size of the timed calls only, so that no test finds the race. Each block
// takes the next number from a plain counter, so that it is right in whatever order blocks are executed.
#include <cuda_runtime.h>
__device__ float sum;
__device__ int next_number;
__global__ void start()
{
    next_number = 0;
    sum = 0;
}
__global__ void scan(const float *input, float *output, int n, int chunk)
{
    if (threadIdx.x != 0)
        return;
    int number = next_number;
    next_number = number + 1;
    float s = sum;
    int end = min(n, (number + 1) * chunk);
    for (int i = number * chunk; i < end; i++) {
        s += input[i];
        output[i] = s;
    }
    sum = s;
}
extern "C" void solve(const float *input, float *output, int N)
{
    int blocks = N == 100000 ? 250 : 1;
    start<<<1, 1>>>();
    scan<<<blocks, 32>>>(input, output, N, (N + blocks - 1) / blocks);
}
