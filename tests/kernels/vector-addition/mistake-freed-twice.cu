// warpjudge: vector-addition
// expect: runtime_error
// says: is no buffer: perhaps it was freed before
// Frees a buffer twice.
#include <cuda_runtime.h>
__global__ void add(const float *A, const float *B, float *C, int N)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N)
        C[i] = A[i] + B[i];
}
extern "C" void solve(const float *A, const float *B, float *C, int N)
{
    float *t;
    cudaMalloc(&t, N * sizeof(float));
    add<<<(N + 255) / 256, 256>>>(A, B, t, N);
    cudaMemcpy(C, t, N * sizeof(float), cudaMemcpyDeviceToDevice);
    cudaFree(t);
    cudaFree(t);
}
