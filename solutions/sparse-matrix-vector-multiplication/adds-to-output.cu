// warpjudge: sparse-matrix-vector-multiplication
// expect: wrong_answer
// The rows are added to what y holds, as if somebody had cleared it.
#include <cuda_runtime.h>

__global__ void
rows(const float *A, const float *x, float *y, int M, int N)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i >= M)
        return;
    for (int j = 0; j < N; j++)
        y[i] += A[(size_t)i * N + j] * x[j];
}

extern "C" void
solve(const float *A, const float *x, float *y, int M, int N, int nnz)
{
    rows<<<(M + 127) / 128, 128>>>(A, x, y, M, N);
}
