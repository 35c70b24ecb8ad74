// warpjudge: general-matrix-multiplication-gemm
// A thread for each element; neighbours are a row apart.
#include <cuda_fp16.h>

__global__ void
each(const __half *A, const __half *B, __half *C, int M, int N, int K, float alpha, float beta)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    int row = i % M, column = i / M;
    float sum = 0;

    if (column >= N)
        return;
    for (int t = 0; t < K; t++)
        sum += __half2float(A[row * K + t]) * __half2float(B[t * N + column]);
    C[row * N + column] = __float2half(alpha * sum + beta * __half2float(C[row * N + column]));
}

extern "C" void
solve(const __half *A, const __half *B, __half *C, int M, int N, int K, float alpha, float beta)
{
    each<<<(M * N + 255) / 256, 256>>>(A, B, C, M, N, K, alpha, beta);
}
