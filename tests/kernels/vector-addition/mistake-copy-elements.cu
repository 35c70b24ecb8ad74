// warpjudge: vector-addition
// expect: wrong_answer
// says: C[1] was 0 before the call as well
// cudaMemcpy is given elements instead of bytes.
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
    cudaMemcpy(C, t, N, cudaMemcpyDeviceToDevice);
    cudaFree(t);
}
