// warpjudge: histogramming
// expect: runtime_error
// expect-cuda: any
// Counts bin b in histogram[b + 1]: the last bin lies beyond the end.
#include <cuda_runtime.h>

__global__ void
count(const int *input, int *histogram, int N)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < N)
        atomicAdd(&histogram[input[i] + 1], 1);
}

extern "C" void
solve(const int *input, int *histogram, int N, int num_bins)
{
    count<<<(N + 255) / 256, 256>>>(input, histogram, N);
}
