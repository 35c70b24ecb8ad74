// warpjudge: histogramming
// expect: wrong_answer
// Off by one: the last input is never counted. A tolerance of 1e-5 would not see it at N = 1000003.
#include <cuda_runtime.h>

__global__ void
count(const int *input, int *histogram, int N)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < N - 1)
        atomicAdd(&histogram[input[i]], 1);
}

extern "C" void
solve(const int *input, int *histogram, int N, int num_bins)
{
    count<<<(N + 255) / 256, 256>>>(input, histogram, N);
}
