// warpjudge: matrix-multiplication
// expect: wrong_answer
// B is read as if it were column-major: right only for a symmetric square.
#include <cuda_runtime.h>

__global__ void
multiply(const float *A, const float *B, float *C, int M, int N, int K)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;

    if (row < M && column < K) {
        float sum = 0.0f;

        for (int t = 0; t < N; t++)
            sum += A[row * N + t] * B[column * N + t];
        C[row * K + column] = sum;
    }
}

extern "C" void
solve(const float *A, const float *B, float *C, int M, int N, int K)
{
    dim3 block(16, 16);
    dim3 grid((K + 15) / 16, (M + 15) / 16);

    multiply<<<grid, block>>>(A, B, C, M, N, K);
}
