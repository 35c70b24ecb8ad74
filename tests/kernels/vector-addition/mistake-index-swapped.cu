// warpjudge: vector-addition
// expect: wrong_answer
// says: C[0] was 0 before the call as well
// Thread and block are swapped in the index: no element is written.
#include <cuda_runtime.h>
__global__ void add(const float *A, const float *B, float *C, int N)
{
    int i = blockIdx.x * threadIdx.x + blockDim.x;
    if (i < N)
        C[i] = A[i] + B[i];
}
extern "C" void solve(const float *A, const float *B, float *C, int N)
{
    add<<<(N + 255) / 256, 256>>>(A, B, C, N);
}
