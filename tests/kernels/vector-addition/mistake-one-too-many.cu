// warpjudge: vector-addition
// expect: runtime_error
// says: [4]; 
// i <= N instead of i < N.
#include <cuda_runtime.h>
__global__ void add(const float *A, const float *B, float *C, int N)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i <= N)
        C[i] = A[i] + B[i];
}
extern "C" void solve(const float *A, const float *B, float *C, int N)
{
    add<<<(N + 256) / 256, 256>>>(A, B, C, N);
}
