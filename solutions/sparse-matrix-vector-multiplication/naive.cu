// warpjudge: sparse-matrix-vector-multiplication
// expect: accepted
// A warp for each row: lanes read neighbouring entries and join their sums by shuffles.
#include <cuda_runtime.h>

#define WARPS 8

__global__ void
rows(const float *A, const float *x, float *y, int M, int N)
{
    int i = blockIdx.x * WARPS + threadIdx.y;
    float sum = 0.0f;

    if (i >= M)
        return;
    for (int j = threadIdx.x; j < N; j += 32)
        sum += A[(size_t)i * N + j] * x[j];
    for (int offset = 16; offset > 0; offset /= 2)
        sum += __shfl_down_sync(0xFFFFFFFFu, sum, offset);
    if (threadIdx.x == 0)
        y[i] = sum;
}

extern "C" void
solve(const float *A, const float *x, float *y, int M, int N, int nnz)
{
    rows<<<(M + WARPS - 1) / WARPS, dim3(32, WARPS)>>>(A, x, y, M, N);
}
