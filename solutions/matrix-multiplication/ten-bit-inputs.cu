// warpjudge: matrix-multiplication
// expect: wrong_answer
// Inputs cut to ten bits of mantissa, as tensor cores do for TF32: not 32-bit arithmetic.
#include <cuda_runtime.h>

__device__ static float
cut(float x)
{
    return __uint_as_float(__float_as_uint(x) & 0xFFFFE000u);
}

__global__ void
multiply(const float *A, const float *B, float *C, int M, int N, int K)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;

    if (row < M && column < K) {
        float sum = 0.0f;

        for (int t = 0; t < N; t++)
            sum += cut(A[row * N + t]) * cut(B[t * K + column]);
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
