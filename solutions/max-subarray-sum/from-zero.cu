// warpjudge: max-subarray-sum
// expect: wrong_answer
// The maximum starts from the 0 that the output holds: wrong where every sum is negative.
#include <cuda_runtime.h>

__global__ void
windows(const int *input, int *output, int N, int window_size)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;

    if (i > N - window_size)
        return;
    for (int k = 0; k < window_size; k++)
        sum += input[i + k];
    atomicMax(output, sum);
}

extern "C" void
solve(const int *input, int *output, int N, int window_size)
{
    int count = N - window_size + 1;

    windows<<<(count + 255) / 256, 256>>>(input, output, N, window_size);
}
