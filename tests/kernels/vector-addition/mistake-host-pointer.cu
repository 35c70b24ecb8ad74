// warpjudge: vector-addition
// expect: runtime_error
// says: kernels reach what cudaMalloc has given (mistake-host-pointer.cu:10)
// A kernel writes to memory from malloc.
#include <cuda_runtime.h>
__global__ void add(const float *A, const float *B, float *C, int N)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N)
        C[i] = A[i] + B[i];
}
#include <stdlib.h>
extern "C" void solve(const float *A, const float *B, float *C, int N)
{
    float *tmp = (float *)malloc(N * sizeof(float));
    add<<<(N + 255) / 256, 256>>>(A, B, tmp, N);
    cudaMemcpy(C, tmp, N * sizeof(float), cudaMemcpyHostToDevice);
    free(tmp);
}
