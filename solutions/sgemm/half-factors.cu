// warpjudge: sgemm
// expect: wrong_answer
// Rounds the factors to 16 bits, as TF32 does, too, and adds in 32: not accurate enough.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

__global__ void
sgemm(const float *A, const float *B, float *C, int M, int N, int K, float alpha, float beta)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;

    if (row < M && column < N) {
        float sum = 0.0f, old = 0.0f;

        for (int k = 0; k < K; k++)
            sum += __half2float(__float2half(A[row * K + k])) *
                   __half2float(__float2half(B[k * N + column]));
        if (beta != 0.0f)
            old = C[row * N + column];
        C[row * N + column] = alpha * sum + beta * old;
    }
}

extern "C" void
solve(const float *A, const float *B, float *C, int M, int N, int K, float alpha, float beta)
{
    dim3 block(32, 8);
    dim3 grid((N + 31) / 32, (M + 7) / 8);

    sgemm<<<grid, block>>>(A, B, C, M, N, K, alpha, beta);
}
