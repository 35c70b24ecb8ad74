// warpjudge: interleave-arrays
// expect: accepted
// One thread for each pair.
#include <cuda_runtime.h>

__global__ void
interleave(const float *A, const float *B, float *output, int N)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < N) {
        output[2 * i] = A[i];
        output[2 * i + 1] = B[i];
    }
}

extern "C" void
solve(const float *A, const float *B, float *output, int N)
{
    interleave<<<(N + 255) / 256, 256>>>(A, B, output, N);
    cudaDeviceSynchronize();
}
