// warpjudge: matrix-multiplication
// expect: accepted
// idea: Each element of C is a sum of its own. Give each a thread, with x as the row, and look at
//   what the threads of a warp read at the same time.
// One thread for each element of C, with x as the row: the threads of a warp read 16 rows of A at a
// time, each from a sector of its own, and write 16 rows of C.
// H200: 425 ms
#include <cuda_runtime.h>

__global__ void
multiply(const float *A, const float *B, float *C, int M, int N, int K)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    int column = blockIdx.y * blockDim.y + threadIdx.y;

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
    dim3 grid((M + 15) / 16, (K + 15) / 16);

    multiply<<<grid, block>>>(A, B, C, M, N, K);
}
