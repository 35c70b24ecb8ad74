// warpjudge: vector-addition
// Never ends: thread 0 waits for a flag that nobody sets.
#include <cuda_runtime.h>

__device__ volatile int flag;

__global__ void
add(const float *A, const float *B, float *C, int N)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    while (i == 0 && flag == 0)
        ;
    if (i < N)
        C[i] = A[i] + B[i];
}

extern "C" void
solve(const float *A, const float *B, float *C, int N)
{
    add<<<(N + 255) / 256, 256>>>(A, B, C, N);
    cudaDeviceSynchronize();
}
