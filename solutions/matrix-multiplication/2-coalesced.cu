// warpjudge: matrix-multiplication
// expect: accepted
// idea: Neighbouring threads read and write different rows, so that each access of a warp touches
//   many sectors. Let x be the column, so that neighbouring threads have neighbouring columns.
// Against step 1: x is the column. The threads of a warp share a row of A, one word for all of them,
// and read neighbours in a row of B.
// H200: 84 ms, 5.1 times as fast as step 1
#include <cuda_runtime.h>

__global__ void
multiply(const float *A, const float *B, float *C, int M, int N, int K)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;

    if (row < M && column < K) {
        float sum = 0.0f;

        for (int t = 0; t < N; t++)
            sum += A[row * N + t] * B[t * K + column];
        C[row * K + column] = sum;
    }
}

extern "C" void
solve(const float *A, const float *B, float *C, int M, int N, int K)
{
    dim3 block(16, 16);
    dim3 grid((K + 15) / 16, (M + 15) / 16);

    multiply<<<grid, block>>>(A, B, C, M, N, K);
}
