// warpjudge: tensor-parallel-matmul
// expect: accepted
// GPU 1's inputs are copied to GPU 0, which does the work, and the result is copied back. Nobody is
// given access.
#include <cuda_runtime.h>

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
    size_t count = (size_t)M * N, x = (size_t)M * K * sizeof(float), w = (size_t)K * N * sizeof(float);
    dim3 grid((N + TILE - 1) / TILE, (M + TILE - 1) / TILE), block(TILE, TILE);
    float *X, *W, *half;

    cudaMalloc(&X, x);
    cudaMalloc(&W, w);
    cudaMalloc(&half, count * sizeof(float));
    cudaMemcpyPeer(X, 0, X1, 1, x);
    cudaMemcpyPeer(W, 0, W1, 1, w);
    product<<<grid, block>>>(X0, W0, Y0, M, N, K);
    product<<<grid, block>>>(X, W, half, M, N, K);
    add<<<(count + 255) / 256, 256>>>(Y0, half, count);
    cudaMemcpyPeer(Y1, 1, Y0, 0, count * sizeof(float));
    cudaFree(X);
    cudaFree(W);
    cudaFree(half);
}
