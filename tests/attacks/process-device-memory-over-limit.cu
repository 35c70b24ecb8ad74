// warpjudge: vector-addition
// attack: process: more device memory than the problem allows, given back
// expect: memory_limit
// says: of device memory, buffers included; the problem allows 16 GiB
// device: cuda
// In the first call of each process takes 2 GiB more than the limit, uses it and gives it
// back before it returns.
#include <cuda_runtime.h>
__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}
extern "C" void solve(const float *A, const float *B, float *C, int N)
{
    static bool was;
    void *p;
    if (!was && cudaMalloc(&p, 18ul << 30) == cudaSuccess) {
        was = true;
        cudaMemset(p, 1, 18ul << 30);
        cudaDeviceSynchronize();
        cudaFree(p);
    }
    add<<<(N + 255) / 256, 256>>>(A, B, C, N);
}
