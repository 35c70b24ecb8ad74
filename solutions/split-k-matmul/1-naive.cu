// warpjudge: split-k-matmul
// expect: accepted
// idea: The slowest way comes first, to measure the others against. Give each element of the product one thread,
//   which is few threads for so long sums.
// One thread for each element of C, which is few threads: nothing is split yet. Most of the GPU does nothing.
// H200: 16.2 ms
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
