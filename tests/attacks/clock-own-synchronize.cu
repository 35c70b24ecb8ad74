// warpjudge: vector-addition
// attack: clock: own cudaDeviceSynchronize
// expect: accepted honest-time|wrong_answer|compile_error
// Defines cudaDeviceSynchronize, which the runner calls, as a function that does not wait.
#include <cuda_runtime.h>
__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}
extern "C" cudaError_t cudaDeviceSynchronize()
{
    return cudaSuccess;
}
extern "C" void solve(const float *A, const float *B, float *C, int N)
{
    add<<<(N + 255) / 256, 256>>>(A, B, C, N);
}
