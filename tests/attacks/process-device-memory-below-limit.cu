// warpjudge: vector-addition
// attack: process: nearly as much device memory as the problem allows
// expect: accepted honest-time
// device: cuda
// In the first call of each process takes 2 GiB less than the limit, which leaves room for its
// arguments, and uses it: nobody may be refused for that.
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
    if (!was && cudaMalloc(&p, 14ul << 30) == cudaSuccess) {
        was = true;
        cudaMemset(p, 1, 14ul << 30);
        cudaDeviceSynchronize();
        cudaFree(p);
    }
    add<<<(N + 255) / 256, 256>>>(A, B, C, N);
}
