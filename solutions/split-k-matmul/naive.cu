// warpjudge: split-k-matmul
// expect: accepted
// One thread for each element of C, which is few threads: nothing is split yet.
#include <cuda_runtime.h>

__global__ void
multiply(const float *A, const float *B, float *C, int M, int N, int K)
{
    int n = threadIdx.x, m = blockIdx.x;
    float sum = 0.0f;

    for (int k = 0; k < K; k++)
        sum += A[(size_t)m * K + k] * B[(size_t)k * N + n];
    C[m * N + n] = sum;
}

extern "C" void
solve(const float *A, const float *B, float *C, int M, int N, int K)
{
    multiply<<<M, N>>>(A, B, C, M, N, K);
    cudaDeviceSynchronize();
}
