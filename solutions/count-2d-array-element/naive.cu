// warpjudge: count-2d-array-element
// expect: accepted
// One thread for each cell, in blocks of 16 x 16; those that find K add 1.
#include <cuda_runtime.h>

__global__ void
count(const int *input, int *output, int N, int M, int K)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;

    if (i < N && j < M && input[i * M + j] == K)
        atomicAdd(output, 1);
}

extern "C" void
solve(const int *input, int *output, int N, int M, int K)
{
    dim3 block(16, 16);
    dim3 grid((M + 15) / 16, (N + 15) / 16);

    count<<<grid, block>>>(input, output, N, M, K);
    cudaDeviceSynchronize();
}
