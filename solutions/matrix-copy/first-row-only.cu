// warpjudge: matrix-copy
// expect: wrong_answer
// Takes the side for the number of elements: only the first row is copied.
#include <cuda_runtime.h>

__global__ void
copy(const float *A, float *B, int N)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < N)
        B[i] = A[i];
}

extern "C" void
solve(const float *A, float *B, int N)
{
    copy<<<(N + 255) / 256, 256>>>(A, B, N);
    cudaDeviceSynchronize();
}
