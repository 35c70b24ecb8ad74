// warpjudge: vector-addition
// expect: compile_error
// says: calling a __host__ function
// A kernel calls a function of the host.
#include <cuda_runtime.h>
float plus(float a, float b) { return a + b; }
__global__ void add(const float *A, const float *B, float *C, int N)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N)
        C[i] = plus(A[i], B[i]);
}
extern "C" void solve(const float *A, const float *B, float *C, int N)
{
    add<<<(N + 255) / 256, 256>>>(A, B, C, N);
}
