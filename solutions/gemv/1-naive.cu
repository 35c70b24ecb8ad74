// warpjudge: gemv
// expect: accepted
// idea: Each element of the result is the product of one row and the vector. Give each row a
//   thread, and look at where the threads of a warp read at the same time.
// One thread for each row. Neighbours in a warp read N floats apart: 32 sectors for 32
// numbers, of which the seven others in each must wait in the cache for the next rounds.
// H200: 6.97 ms
#include <cuda_runtime.h>

__global__ void
multiply(const float *A, const float *x, float *y, int M, int N)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;

    if (row < M) {
        float sum = 0.0f;

        for (int n = 0; n < N; n++)
            sum += A[(size_t)row * N + n] * x[n];
        y[row] = sum;
    }
}

extern "C" void
solve(const float *A, const float *x, float *y, int M, int N)
{
    multiply<<<(M + 127) / 128, 128>>>(A, x, y, M, N);
}
