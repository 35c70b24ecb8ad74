// warpjudge: vector-addition
// expect: runtime_error
// says: inside a buffer of 16 bytes that was freed (mistake-used-after-free.cu:10)
// A kernel writes to memory that was freed.
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
    cudaFree(t);
    add<<<(N + 255) / 256, 256>>>(A, B, t, N);
    cudaMemcpy(C, t, N * sizeof(float), cudaMemcpyDeviceToDevice);
}
