// warpjudge: bf16-matmul
// A thread for each element; neighbours are a row apart.
#include <cuda_bf16.h>

__global__ void
each(const __nv_bfloat16 *A, const __nv_bfloat16 *B, float *C, int M, int N, int K)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    int row = i % M, column = i / M;
    float sum = 0;

    if (column >= N)
        return;
    for (int t = 0; t < K; t++)
        sum += __bfloat162float(A[row * K + t]) * __bfloat162float(B[t * N + column]);
    C[row * N + column] = sum;
}

extern "C" void
solve(const __nv_bfloat16 *A, const __nv_bfloat16 *B, float *C, int M, int N, int K)
{
    each<<<(M * N + 255) / 256, 256>>>(A, B, C, M, N, K);
}
