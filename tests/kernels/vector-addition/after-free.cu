// warpjudge: vector-addition
// expect: runtime_error
// says: that was freed
// Writes to a buffer that was freed.
#include <cuda_runtime.h>
__global__ void
k(const float *A, const float *B, float *C, int N)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N)
        C[i] = A[i] + B[i];
}
extern "C" void
solve(const float *A, const float *B, float *C, int N)
{
    float *t;
    cudaMalloc(&t, N * 4);
    cudaFree(t);
    k<<<(N + 255) / 256, 256>>>(A, B, t, N);
    cudaMemcpy(C, t, N * 4, cudaMemcpyDeviceToDevice);
}
