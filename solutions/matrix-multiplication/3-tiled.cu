// warpjudge: matrix-multiplication
// expect: accepted
// idea: Each element of A and B is read from memory again for every thread that needs it. Bring a
//   tile of both to shared memory, where all threads of the block use it.
// Against step 2: tiles of 16 x 16 in shared memory. Each element of A and B is read from memory by one
// thread for 16 of them: 16 times less often.
// H200: 51 ms, 1.65 times as fast as step 2
#include <cuda_runtime.h>

#define TILE 16

__global__ void
multiply(const float *A, const float *B, float *C, int M, int N, int K)
{
    __shared__ float a[TILE][TILE], b[TILE][TILE];
    int tx = threadIdx.x, ty = threadIdx.y;
    int column = blockIdx.x * TILE + tx, row = blockIdx.y * TILE + ty;
    float sum = 0.0f;

    for (int t0 = 0; t0 < N; t0 += TILE) {
        a[ty][tx] = row < M && t0 + tx < N ? A[row * N + t0 + tx] : 0.0f;
        b[ty][tx] = t0 + ty < N && column < K ? B[(t0 + ty) * K + column] : 0.0f;
        __syncthreads();
        for (int t = 0; t < TILE; t++)
            sum += a[ty][t] * b[t][tx];
        __syncthreads();
    }
    if (row < M && column < K)
        C[row * K + column] = sum;
}

extern "C" void
solve(const float *A, const float *B, float *C, int M, int N, int K)
{
    dim3 block(TILE, TILE);
    dim3 grid((K + TILE - 1) / TILE, (M + TILE - 1) / TILE);

    multiply<<<grid, block>>>(A, B, C, M, N, K);
}
