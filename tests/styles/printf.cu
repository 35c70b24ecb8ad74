// warpjudge: vector-addition
// Debugging by printf in the kernel, and by stdout and stderr on the host.
#include <iostream>
#include <stdio.h>
#include <assert.h>

__global__ void add(const float *A, const float *B, float *C, int N)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i == 0)
        printf("block %d of %d: %f + %f, %s\n", blockIdx.x, gridDim.x, A[0], B[0], "first");
    assert(N > 0);
    if (i < N)
        C[i] = A[i] + B[i];
}

extern "C" void
solve(const float *A, const float *B, float *C, int N)
{
    std::cout << "N = " << N << std::endl;
    std::cerr << "launching" << '\n';
    add<<<(N + 255) / 256, 256>>>(A, B, C, N);
    cudaError_t status = cudaDeviceSynchronize();
    if (status != cudaSuccess)
        printf("failed: %s\n", cudaGetErrorString(status));
    fflush(stdout);
}
