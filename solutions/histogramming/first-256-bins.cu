// warpjudge: histogramming
// expect: wrong_answer
// Room for 256 bins in shared memory, and the others are left out.
#include <cuda_runtime.h>

__global__ void
count(const int *input, int *histogram, int N, int num_bins)
{
    __shared__ int bins[256];
    int i = blockIdx.x * 256 + threadIdx.x;

    bins[threadIdx.x] = 0;
    __syncthreads();
    if (i < N && input[i] < 256)
        atomicAdd(&bins[input[i]], 1);
    __syncthreads();
    if (threadIdx.x < num_bins)
        atomicAdd(&histogram[threadIdx.x], bins[threadIdx.x]);
}

extern "C" void
solve(const int *input, int *histogram, int N, int num_bins)
{
    count<<<(N + 255) / 256, 256>>>(input, histogram, N, num_bins);
}
