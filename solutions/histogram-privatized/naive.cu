// warpjudge: histogram-privatized
// expect: accepted
// Clears the output; then one atomic addition in global memory for each byte.
#include <cuda_runtime.h>

__global__ void
count(const unsigned char *input, int *histogram, int N)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, b = blockIdx.y;

    if (i < N)
        atomicAdd(&histogram[b * 256 + input[(size_t)b * N + i]], 1);
}

extern "C" void
solve(const unsigned char *input, int *histogram, int B, int N)
{
    dim3 grid((N + 255) / 256, B);

    cudaMemset(histogram, 0, B * 256 * sizeof(int));
    count<<<grid, 256>>>(input, histogram, N);
    cudaDeviceSynchronize();
}
