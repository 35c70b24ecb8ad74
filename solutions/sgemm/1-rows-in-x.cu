// warpjudge: sgemm
// expect: accepted
// idea: Each element of C is a sum of its own. Give each a thread, with x as the row, and look at
//   what the threads of a warp read at the same time.
// One thread for each element of C, with x as the row. The threads of a warp read 16 rows
// of A at a time, each from a sector of its own, and write 16 rows of C.
// H200: 566 ms
#include <cuda_runtime.h>

__global__ void
sgemm(const float *A, const float *B, float *C, int M, int N, int K, float alpha,
      float beta)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    int column = blockIdx.y * blockDim.y + threadIdx.y;

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
    dim3 grid((M + 15) / 16, (N + 15) / 16);

    sgemm<<<grid, block>>>(A, B, C, M, N, K, alpha, beta);
}
