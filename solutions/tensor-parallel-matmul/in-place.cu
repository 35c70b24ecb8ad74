// warpjudge: tensor-parallel-matmul
// expect: accepted
// GPU 0 is given access to GPU 1's memory, adds its partial product in place, and sends it the sum.
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
    const float *X[2] = {X0, X1}, *W[2] = {W0, W1};
    float *Y[2] = {Y0, Y1};
    size_t count = (size_t)M * N;
    dim3 grid((N + TILE - 1) / TILE, (M + TILE - 1) / TILE), block(TILE, TILE);

    for (int gpu = 0; gpu < 2; gpu++) {
        cudaSetDevice(gpu);
        product<<<grid, block>>>(X[gpu], W[gpu], Y[gpu], M, N, K);
    }
    for (int gpu = 0; gpu < 2; gpu++) {
        cudaSetDevice(gpu);
        cudaDeviceSynchronize();
    }
    cudaSetDevice(0);
    cudaDeviceEnablePeerAccess(1, 0); // an error the second time, which changes nothing
    cudaGetLastError();
    add<<<(count + 255) / 256, 256>>>(Y[0], Y[1], count);
    cudaDeviceSynchronize();
    cudaMemcpyPeer(Y[1], 1, Y[0], 0, count * sizeof(float));
    cudaDeviceSynchronize();
}
