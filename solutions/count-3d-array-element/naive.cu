// warpjudge: count-3d-array-element
// expect: accepted
// One thread for each cell; those that find P add 1.
#include <cuda_runtime.h>

__global__ void
count(const int *input, int *output, int cells, int P)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < cells && input[i] == P)
        atomicAdd(output, 1);
}

extern "C" void
solve(const int *input, int *output, int N, int M, int K, int P)
{
    int cells = N * M * K;

    count<<<(cells + 255) / 256, 256>>>(input, output, cells, P);
    cudaDeviceSynchronize();
}
