// warpjudge: vector-addition
// expect: accepted
// Through managed, pinned and mapped memory.
#include <cstring>
#include <cuda_runtime.h>
__global__ void
k(const float *A, const float *B, float *M, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        M[i] = A[i] + B[i];
}
extern "C" void
solve(const float *A, const float *B, float *C, int N)
{
    float *m, *h, *mapped, *dmapped;
    cudaMallocManaged(&m, N * sizeof(float));
    memset(m, 0, N * sizeof(float));
    k<<<(N + 255) / 256, 256>>>(A, B, m, N);
    cudaDeviceSynchronize();
    cudaMallocHost(&h, N * sizeof(float));
    memcpy(h, m, N * sizeof(float));
    cudaHostAlloc(&mapped, N * sizeof(float), cudaHostAllocMapped);
    memcpy(mapped, h, N * sizeof(float));
    cudaHostGetDevicePointer(&dmapped, mapped, 0);
    cudaMemcpy(C, dmapped, N * sizeof(float), cudaMemcpyDefault);
    cudaFree(m);
    cudaFreeHost(h);
    cudaFreeHost(mapped);
}
