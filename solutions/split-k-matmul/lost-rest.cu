// warpjudge: split-k-matmul
// expect: wrong_answer
// Sixteen parts of K / 16: what is left over is never added.
#include <cuda_runtime.h>

#define PARTS 16

__global__ void
multiply(const float *A, const float *B, float *C, int N, int K)
{
    int n = threadIdx.x, m = blockIdx.x, depth = K / PARTS;
    float sum = 0.0f;

    for (int k = blockIdx.y * depth; k < (blockIdx.y + 1) * depth; k++)
        sum += A[(size_t)m * K + k] * B[(size_t)k * N + n];
    atomicAdd(&C[m * N + n], sum);
}

extern "C" void
solve(const float *A, const float *B, float *C, int M, int N, int K)
{
    dim3 grid(M, PARTS);

    cudaMemset(C, 0, M * N * sizeof(float));
    multiply<<<grid, N>>>(A, B, C, N, K);
}
