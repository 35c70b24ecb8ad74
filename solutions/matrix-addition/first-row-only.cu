// warpjudge: matrix-addition
// expect: wrong_answer
// Takes the side for the number of elements: only the first row is added.
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
    add<<<(N + 255) / 256, 256>>>(A, B, C, N);
    cudaDeviceSynchronize();
}
