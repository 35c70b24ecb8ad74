// warpjudge: vector-addition
// expect: wrong_answer
// The number of blocks is rounded down: what does not fill a block is left out.
#include <cuda_runtime.h>

__global__ void
add(const float *A, const float *B, float *C, int N)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < N)
        C[i] = A[i] + B[i];
}

extern "C" void
solve(const float *A, const float *B, float *C, int N)
{
    int blocks = N / 256;

    add<<<blocks > 0 ? blocks : 1, 256>>>(A, B, C, N);
    cudaDeviceSynchronize();
}
