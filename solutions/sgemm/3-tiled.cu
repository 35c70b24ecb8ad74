// warpjudge: sgemm
// expect: accepted
// idea: Each element of A and B is read from memory again for every thread that needs it. Bring a
//   tile of both to shared memory, where all threads of the block use it.
// Against step 2: tiles of 16 x 16 in shared memory. Each element of A and B is read from
// memory by one thread for 16 of them: 16 times less often.
// H200: 67.9 ms, 1.63 times as fast as step 2
#include <cuda_runtime.h>

#define TILE 16

__global__ void
sgemm(const float *A, const float *B, float *C, int M, int N, int K, float alpha,
      float beta)
{
    __shared__ float a[TILE][TILE], b[TILE][TILE];
    int tx = threadIdx.x, ty = threadIdx.y;
    int column = blockIdx.x * TILE + tx, row = blockIdx.y * TILE + ty;
    float sum = 0.0f;

    for (int k0 = 0; k0 < K; k0 += TILE) {
        a[ty][tx] = row < M && k0 + tx < K ? A[row * K + k0 + tx] : 0.0f;
        b[ty][tx] = k0 + ty < K && column < N ? B[(k0 + ty) * N + column] : 0.0f;
        __syncthreads();
        for (int k = 0; k < TILE; k++)
            sum += a[ty][k] * b[k][tx];
        __syncthreads();
    }
    if (row < M && column < N)
        C[row * N + column] =
            alpha * sum + (beta != 0.0f ? beta * C[row * N + column] : 0.0f);
}

extern "C" void
solve(const float *A, const float *B, float *C, int M, int N, int K, float alpha,
      float beta)
{
    dim3 block(TILE, TILE);
    dim3 grid((N + TILE - 1) / TILE, (M + TILE - 1) / TILE);

    sgemm<<<grid, block>>>(A, B, C, M, N, K, alpha, beta);
}
