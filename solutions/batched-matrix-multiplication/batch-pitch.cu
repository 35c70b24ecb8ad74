// warpjudge: batched-matrix-multiplication
// expect: wrong_answer
// Takes the matrices of B to be M rows apart, not K: right where M is K, else clamped to
// the end.
#include <cuda_runtime.h>

__global__ void
multiply(const float *A, const float *B, float *C, int M, int N, int K)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int batch = blockIdx.z;

    if (row < M && column < N) {
        float sum = 0.0f;

        for (int t = 0; t < K; t++)
            sum += A[(batch * M + row) * K + t] *
                   B[min((batch * M + t) * N + column, (int)gridDim.z * K * N - 1)];
        C[(batch * M + row) * N + column] = sum;
    }
}

extern "C" void
solve(const float *A, const float *B, float *C, int BATCH, int M, int N, int K)
{
    dim3 block(16, 16);
    dim3 grid((N + 15) / 16, (M + 15) / 16, BATCH);

    multiply<<<grid, block>>>(A, B, C, M, N, K);
    cudaDeviceSynchronize();
}
