// warpjudge: vector-addition
// expect: wrong_answer
// says: C[0] was 0 before the call as well
// The kernel is never launched.
#include <cuda_runtime.h>
__global__ void add(const float *A, const float *B, float *C, int N)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N)
        C[i] = A[i] + B[i];
}
extern "C" void solve(const float *A, const float *B, float *C, int N)
{
    add;
}
