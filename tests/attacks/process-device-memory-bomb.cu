// warpjudge: vector-addition
// attack: process: memory bomb on the device
// expect: memory_limit|accepted honest-time
// Takes device memory until there is no more, and keeps it.
#include <cuda_runtime.h>
__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}
extern "C" void solve(const float *A, const float *B, float *C, int N)
{
    void *p;
    for (size_t size = 1ul << 36; size >= 4096; size /= 2)
        while (cudaMalloc(&p, size) == cudaSuccess)
            continue;
    cudaGetLastError();
    add<<<(N + 255) / 256, 256>>>(A, B, C, N);
}
