// warpjudge: weight-dequantization
// expect: accepted
// One thread for each weight; neighbours in a row are neighbours in a warp.
#include <cuda_runtime.h>

__global__ void
scale(const float *X, const float *S, float *Y, int M, int N, int tile)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    int columns = (N + tile - 1) / tile;

    if (i < M && j < N)
        Y[i * N + j] = X[i * N + j] * S[i / tile * columns + j / tile];
}

extern "C" void
solve(const float *X, const float *S, float *Y, int M, int N, int TILE_SIZE)
{
    dim3 block(32, 8), grid((N + 31) / 32, (M + 7) / 8);

    scale<<<grid, block>>>(X, S, Y, M, N, TILE_SIZE);
}
