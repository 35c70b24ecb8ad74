// warpjudge: matrix-multiplication
// expect: wrong_answer
// says: data race: reads 4 bytes of shared memory
// The tile is used before it is complete.
#include <cuda_runtime.h>
#define TILE 16
__global__ void
mm(const float *A, const float *B, float *C, int M, int N, int K)
{
    __shared__ float As[TILE][TILE], Bs[TILE][TILE];
    int ty = threadIdx.y, tx = threadIdx.x, row = blockIdx.y * TILE + ty,
        col = blockIdx.x * TILE + tx;
    float acc = 0.f;
    for (int t = 0; t < (N + TILE - 1) / TILE; ++t) {
        As[ty][tx] = (row < M && t * TILE + tx < N) ? A[row * N + t * TILE + tx] : 0.f;
        Bs[ty][tx] = (col < K && t * TILE + ty < N) ? B[(t * TILE + ty) * K + col] : 0.f;
        for (int k = 0; k < TILE; ++k)
            acc += As[ty][k] * Bs[k][tx];
    }
    if (row < M && col < K)
        C[row * K + col] = acc;
}
extern "C" void
solve(const float *A, const float *B, float *C, int M, int N, int K)
{
    mm<<<dim3((K + 15) / 16, (M + 15) / 16), dim3(16, 16)>>>(A, B, C, M, N, K);
    cudaDeviceSynchronize();
}
