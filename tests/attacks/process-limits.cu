// warpjudge: vector-addition
// attack: process: changed limits
// expect: accepted honest-time
// expect-cuda: memory_limit
// Changes every limit of the device. On a GPU the stack is memory: 64 KiB for each of the 270336 threads that an
// H200 can hold are 16.5 GiB.
#include <cuda_runtime.h>
__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}
extern "C" void solve(const float *A, const float *B, float *C, int N)
{
    cudaDeviceSetLimit(cudaLimitStackSize, 1 << 16);
    cudaDeviceSetLimit(cudaLimitPrintfFifoSize, 1 << 26);
    cudaDeviceSetLimit(cudaLimitMallocHeapSize, 1 << 28);
    cudaDeviceSetCacheConfig(cudaFuncCachePreferShared);
    cudaGetLastError();
    add<<<(N + 255) / 256, 256>>>(A, B, C, N);
}
