// warpjudge: vector-addition
// It reads out of bounds. B is indexed as if it were a column of a huge matrix. All reads but
// the first lie megabytes beyond its end.
#include <cuda_runtime.h>

#define STRIDE (1 << 24)

__global__ void
add(const float *A, const float *B, float *C, int N)
{
    size_t i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < N)
        C[i] = A[i] + B[i * STRIDE];
}

extern "C" void
solve(const float *A, const float *B, float *C, int N)
{
    add<<<(N + 255) / 256, 256>>>(A, B, C, N);
    cudaDeviceSynchronize();
}
