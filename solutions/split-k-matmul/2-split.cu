// warpjudge: split-k-matmul
// expect: accepted
// idea: There are at most 4096 elements, and most of the GPU does nothing. Cut the long sums into parts, so that
//   there are threads for all multiprocessors.
// The inner dimension in parts of 512 or more, a block for each row and part; each element adds
// its part to C by an atomic.
// H200: 425 µs, 38 times as fast as step 1
#include <cuda_runtime.h>

__global__ void
multiply(const float *A, const float *B, float *C, int N, int K, int depth)
{
    int n = threadIdx.x, m = blockIdx.x;
    int begin = blockIdx.y * depth, end = min(begin + depth, K);
    float sum = 0.0f;

    for (int k = begin; k < end; k++)
        sum += A[(size_t)m * K + k] * B[(size_t)k * N + n];
    atomicAdd(&C[m * N + n], sum);
}

extern "C" void
solve(const float *A, const float *B, float *C, int M, int N, int K)
{
    int depth = max(512, (K + 255) / 256);
    dim3 grid(M, (K + depth - 1) / depth);

    cudaMemset(C, 0, M * N * sizeof(float));
    multiply<<<grid, N>>>(A, B, C, N, K, depth);
}
