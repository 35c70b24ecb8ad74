// warpjudge: sgemm
// expect: accepted
// idea: Neighbouring threads read and write different rows, so that each access of a warp touches
//   many sectors. Let x be the column, so that neighbouring threads have neighbouring columns.
// Against step 1: x is the column. The threads of a warp share a row of A, one word for
// all of them, and read neighbours in a row of B.
// H200: 110 ms, 5.1 times as fast as step 1
#include <cuda_runtime.h>

__global__ void
sgemm(const float *A, const float *B, float *C, int M, int N, int K, float alpha,
      float beta)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;

    if (row < M && column < N) {
        float sum = 0.0f;

        for (int k = 0; k < K; k++)
            sum += A[row * K + k] * B[k * N + column];
        C[row * N + column] =
            alpha * sum + (beta != 0.0f ? beta * C[row * N + column] : 0.0f);
    }
}

extern "C" void
solve(const float *A, const float *B, float *C, int M, int N, int K, float alpha,
      float beta)
{
    dim3 block(16, 16);
    dim3 grid((N + 15) / 16, (M + 15) / 16);

    sgemm<<<grid, block>>>(A, B, C, M, N, K, alpha, beta);
}
