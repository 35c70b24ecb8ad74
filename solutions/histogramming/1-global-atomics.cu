// warpjudge: histogramming
// expect: accepted
// idea: Each input adds one to a bin. Give each input a thread, and use an atomic addition in
//   global memory so that no count is lost.
// One atomic addition in global memory for each input. 256 bins fill 8 lines of memory, and the
// additions to one line wait for each other.
// H200: 12.9 ms
#include <cuda_runtime.h>

__global__ void
count(const int *input, int *histogram, int N, int num_bins)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < N && input[i] >= 0 && input[i] < num_bins)
        atomicAdd(&histogram[input[i]], 1);
}

extern "C" void
solve(const int *input, int *histogram, int N, int num_bins)
{
    count<<<(N + 255) / 256, 256>>>(input, histogram, N, num_bins);
}
