// warpjudge: count-2d-array-element
// expect: wrong_answer
// Takes rows and columns for equal: only the part of N x N is looked at.
#include <cuda_runtime.h>

__global__ void
count(const int *input, int *output, int N, int M, int K)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;

    if (i < N && j < N && j < M && input[i * M + j] == K)
        atomicAdd(output, 1);
}

extern "C" void
solve(const int *input, int *output, int N, int M, int K)
{
    dim3 block(16, 16);
    dim3 grid((N + 15) / 16, (N + 15) / 16);

    count<<<grid, block>>>(input, output, N, M, K);
}
