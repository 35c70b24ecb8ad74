// warpjudge: vector-addition
// expect: runtime_error
// says: round the number of blocks up, (N + threads - 1) / threads
// N / 256 blocks are none for a small N.
#include <cuda_runtime.h>
__global__ void add(const float *A, const float *B, float *C, int N)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N)
        C[i] = A[i] + B[i];
}
extern "C" void solve(const float *A, const float *B, float *C, int N)
{
    add<<<N / 256, 256>>>(A, B, C, N);
}
