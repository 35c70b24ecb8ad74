// warpjudge: tensor-parallel-matmul
// expect: accepted
// GPU 0 does it all: it reads GPU 1's inputs where they are, and writes both outputs.
#include <cuda_runtime.h>

#define TILE 16

__global__ void
both(const float *X0, const float *X1, const float *W0, const float *W1, float *Y0, float *Y1,
     int M, int N, int K)
{
    int i = blockIdx.y * TILE + threadIdx.y, j = blockIdx.x * TILE + threadIdx.x;
    float sum = 0.0f;

    if (i >= M || j >= N)
        return;
    for (int k = 0; k < K; k++)
        sum += X0[(size_t)i * K + k] * W0[(size_t)k * N + j];
    for (int k = 0; k < K; k++)
        sum += X1[(size_t)i * K + k] * W1[(size_t)k * N + j];
    Y0[(size_t)i * N + j] = sum;
    Y1[(size_t)i * N + j] = sum;
}

extern "C" void
solve(const float *X0, const float *X1, const float *W0, const float *W1, float *Y0, float *Y1,
      int M, int N, int K)
{
    dim3 grid((N + TILE - 1) / TILE, (M + TILE - 1) / TILE), block(TILE, TILE);

    cudaDeviceEnablePeerAccess(1, 0); // an error the second time, which changes nothing
    cudaGetLastError();
    both<<<grid, block>>>(X0, X1, W0, W1, Y0, Y1, M, N, K);
}
