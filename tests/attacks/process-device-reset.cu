// warpjudge: vector-addition
// attack: process: cudaDeviceReset
// expect: runtime_error|wrong_answer|disqualified|accepted honest-time
// Resets the device after the work; the judge's memory must be there all the same.
#include <cuda_runtime.h>
__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}
extern "C" void solve(const float *A, const float *B, float *C, int N)
{
    add<<<(N + 255) / 256, 256>>>(A, B, C, N);
    cudaDeviceSynchronize();
    cudaDeviceReset();
}
