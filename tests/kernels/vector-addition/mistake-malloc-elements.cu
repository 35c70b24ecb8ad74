// warpjudge: vector-addition
// expect: runtime_error
// says: past the end of a buffer of 4 bytes (mistake-malloc-elements.cu:10)
// cudaMalloc is given elements instead of bytes.
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
    cudaMalloc(&t, N);
    add<<<(N + 255) / 256, 256>>>(A, B, t, N);
    cudaMemcpy(C, t, N * sizeof(float), cudaMemcpyDeviceToDevice);
    cudaFree(t);
}
