// warpjudge: prefix-sum
// honest: prefix-sum/1-one-thread
// attack: clock: warps of one block in turns on emu
// expect: wrong_answer
// expect-cuda: wrong_answer|accepted honest-time
// A serial sum in the 32 warps of one block, at the size of the timed calls only, so that no test finds the
// race. Each warp takes the next number from a plain counter in shared memory, in whatever order warps go.
#include <cuda_runtime.h>
__global__ void scan(const float *input, float *output, int n)
{
    __shared__ float sum;
    __shared__ int next_number;
    int warps = blockDim.x / 32, chunk = (n + warps - 1) / warps;
    if (threadIdx.x == 0) {
        sum = 0;
        next_number = 0;
    }
    __syncthreads();
    if (threadIdx.x % 32 != 0)
        return;
    int number = next_number;
    next_number = number + 1;
    float s = sum;
    for (int i = number * chunk; i < min(n, (number + 1) * chunk); i++) {
        s += input[i];
        output[i] = s;
    }
    sum = s;
}
extern "C" void solve(const float *input, float *output, int N)
{
    scan<<<1, N == 100000 ? 1024 : 32>>>(input, output, N);
}
