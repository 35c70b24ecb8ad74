// warpjudge: interleave-arrays
// expect: wrong_answer
// Puts all of B behind all of A.
#include <cuda_runtime.h>

__global__ void
concatenate(const float *A, const float *B, float *output, int N)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < N) {
        output[i] = A[i];
        output[N + i] = B[i];
    }
}

extern "C" void
solve(const float *A, const float *B, float *output, int N)
{
    concatenate<<<(N + 255) / 256, 256>>>(A, B, output, N);
    cudaDeviceSynchronize();
}
