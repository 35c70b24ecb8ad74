// warpjudge: tf32-matmul
// expect: accepted
// One thread for each element of C, in plain 32-bit floats: right, without tensor cores.
#include <cuda_runtime.h>

__global__ void
multiply(const float *A, const float *B, float *C, int M, int N, int K)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;

    if (row < M && column < N) {
        float sum = 0.0f;

        for (int k = 0; k < K; k++)
            sum += A[row * K + k] * B[k * N + column];
        C[row * N + column] = sum;
    }
}

extern "C" void
solve(const float *A, const float *B, float *C, int M, int N, int K)
{
    dim3 block(32, 8);
    dim3 grid((N + 31) / 32, (M + 7) / 8);

    multiply<<<grid, block>>>(A, B, C, M, N, K);
    cudaDeviceSynchronize();
}
