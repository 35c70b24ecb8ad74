// warpjudge: general-matrix-multiplication-gemm
// expect: accepted
// idea: Each element of a factor is read from memory again for every row or column that needs it.
//   Bring tiles of both factors to shared memory, where a whole block uses them.
// Tiles of both factors in shared memory: a block loads each element once for 32 rows or columns of
// the result, not once for each of them.
// H200: 14.2 ms, 2.2 times as fast as step 1
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#define TILE 32

__global__ void
gemm(const half *A, const half *B, half *C, int M, int N, int K, float alpha, float beta)
{
    __shared__ half a[TILE][TILE], b[TILE][TILE];
    int x = threadIdx.x, y = threadIdx.y;
    int row = blockIdx.y * TILE + y, column = blockIdx.x * TILE + x;
    const half zero = __float2half(0.0f);
    float sum = 0.0f;

    for (int k0 = 0; k0 < K; k0 += TILE) {
        a[y][x] = row < M && k0 + x < K ? A[row * K + k0 + x] : zero;
        b[y][x] = k0 + y < K && column < N ? B[(k0 + y) * N + column] : zero;
        __syncthreads();
        for (int k = 0; k < TILE; k++)
            sum += __half2float(a[y][k]) * __half2float(b[k][x]);
        __syncthreads();
    }
    if (row < M && column < N) {
        float old = __half2float(C[row * N + column]);

        C[row * N + column] = __float2half(alpha * sum + beta * old);
    }
}

extern "C" void
solve(const half *A, const half *B, half *C, int M, int N, int K, float alpha, float beta)
{
    dim3 block(TILE, TILE);
    dim3 grid((N + TILE - 1) / TILE, (M + TILE - 1) / TILE);

    gemm<<<grid, block>>>(A, B, C, M, N, K, alpha, beta);
}
