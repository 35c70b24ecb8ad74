// warpjudge: count-array-element
// expect: accepted
// One thread for each element; those that find K add 1.
#include <cuda_runtime.h>

__global__ void
count(const int *input, int *output, int N, int K)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < N && input[i] == K)
        atomicAdd(output, 1);
}

extern "C" void
solve(const int *input, int *output, int N, int K)
{
    count<<<(N + 255) / 256, 256>>>(input, output, N, K);
    cudaDeviceSynchronize();
}
