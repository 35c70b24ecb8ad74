// warpjudge: gemv
// expect: wrong_answer
// Walks down the columns: multiplies by the matrix as if it were stored column by column.
#include <cuda_runtime.h>

__global__ void
multiply(const float *A, const float *x, float *y, int M, int N)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;

    if (row < M) {
        float sum = 0.0f;

        for (int n = 0; n < N; n++)
            sum += A[n * M + row] * x[n];
        y[row] = sum;
    }
}

extern "C" void
solve(const float *A, const float *x, float *y, int M, int N)
{
    multiply<<<(M + 127) / 128, 128>>>(A, x, y, M, N);
    cudaDeviceSynchronize();
}
