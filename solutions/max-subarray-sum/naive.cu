// warpjudge: max-subarray-sum
// expect: accepted
// One thread for each window adds up its elements; the threads meet in an atomic maximum that
// starts from the smallest integer.
#include <climits>
#include <cuda_runtime.h>

__global__ void
start(int *output)
{
    *output = INT_MIN;
}

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

    start<<<1, 1>>>(output);
    windows<<<(count + 255) / 256, 256>>>(input, output, N, window_size);
}
