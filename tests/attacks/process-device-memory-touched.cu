// warpjudge: vector-addition
// attack: process: memory bomb on the device
// expect: memory_limit|time_limit|accepted honest-time
// device: emu
// Takes device memory and pinned memory until there is no more, and touches all of it: on an emulated GPU that
// is the machine's own.
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
    for (size_t size = 1ul << 30; size >= 1 << 20; size /= 2)
        while (cudaMalloc(&p, size) == cudaSuccess)
            cudaMemset(p, 1, size - 1); // not whole: what is written stays noted
    for (size_t size = 1ul << 30; size >= 1 << 20; size /= 2)
        while (cudaMallocHost(&p, size) == cudaSuccess)
            cudaMemset(p, 1, size - 1);
    cudaGetLastError();
    add<<<(N + 255) / 256, 256>>>(A, B, C, N);
}
