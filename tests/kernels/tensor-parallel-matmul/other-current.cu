// warpjudge: tensor-parallel-matmul
// expect: accepted
// Each call must begin with GPU 0 as the current one, though each ends with GPU 1.
#include <cuda_runtime.h>
#include <stdlib.h>

#define TILE 16

__global__ void
product(const float *A, const float *B, float *C, int M, int N, int K)
{
    __shared__ float a[TILE][TILE], b[TILE][TILE];
    int tx = threadIdx.x, ty = threadIdx.y, i = blockIdx.y * TILE + ty, j = blockIdx.x * TILE + tx;
    float sum = 0.0f;

    for (int k0 = 0; k0 < K; k0 += TILE) {
        a[ty][tx] = i < M && k0 + tx < K ? A[(size_t)i * K + k0 + tx] : 0.0f;
        b[ty][tx] = k0 + ty < K && j < N ? B[(size_t)(k0 + ty) * N + j] : 0.0f;
        __syncthreads();
        for (int k = 0; k < TILE; k++)
            sum += a[ty][k] * b[k][tx];
        __syncthreads();
    }
    if (i < M && j < N)
        C[(size_t)i * N + j] = sum;
}

__global__ void
add(float *mine, const float *theirs, size_t count)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;

    if (i < count)
        mine[i] += theirs[i];
}

extern "C" void
solve(const float *X0, const float *X1, const float *W0, const float *W1, float *Y0, float *Y1,
      int M, int N, int K)
{
    float *half;
    size_t count = (size_t)M * N, bytes = count * sizeof(float);
    dim3 grid((N + TILE - 1) / TILE, (M + TILE - 1) / TILE), block(TILE, TILE);
    int current = -1;

    if (cudaGetDevice(&current) != cudaSuccess || current != 0)
        abort();
    product<<<grid, block>>>(X0, W0, Y0, M, N, K);
    cudaDeviceSynchronize();
    cudaSetDevice(1);
    cudaMalloc(&half, bytes);
    cudaMemcpyPeer(half, 1, Y0, 0, bytes);
    product<<<grid, block>>>(X1, W1, Y1, M, N, K);
    add<<<(count + 255) / 256, 256>>>(Y1, half, count);
    cudaMemcpyPeer(Y0, 0, Y1, 1, bytes);
    cudaFree(half);
}
