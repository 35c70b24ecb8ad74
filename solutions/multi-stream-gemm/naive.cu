// warpjudge: multi-stream-gemm
// expect: accepted
// One matrix after the other: a copy in, a product by tiles of 16 x 16, a copy out.
#include <cuda_runtime.h>

#define TILE 16

__global__ void
product(const float *A, const float *B, float *C, int M, int N, int K)
{
    __shared__ float a[TILE][TILE], b[TILE][TILE];
    int tx = threadIdx.x, ty = threadIdx.y, i = blockIdx.y * TILE + ty, j = blockIdx.x * TILE + tx;
    float sum = 0.0f;

    for (int k0 = 0; k0 < K; k0 += TILE) {
        a[ty][tx] = i < M && k0 + tx < K ? A[i * K + k0 + tx] : 0.0f;
        b[ty][tx] = k0 + ty < K && j < N ? B[(k0 + ty) * N + j] : 0.0f;
        __syncthreads();
        for (int k = 0; k < TILE; k++)
            sum += a[ty][k] * b[k][tx];
        __syncthreads();
    }
    if (i < M && j < N)
        C[i * N + j] = sum;
}

extern "C" void
solve(const float *A, const float *B, float *C, int batch, int M, int N, int K)
{
    size_t left = (size_t)M * K, right = (size_t)M * N;
    dim3 grid((N + TILE - 1) / TILE, (M + TILE - 1) / TILE);
    float *a, *c;

    cudaMalloc(&a, left * sizeof(float));
    cudaMalloc(&c, right * sizeof(float));
    for (int i = 0; i < batch; i++) {
        cudaMemcpy(a, A + i * left, left * sizeof(float), cudaMemcpyHostToDevice);
        product<<<grid, dim3(TILE, TILE)>>>(a, B, c, M, N, K);
        cudaMemcpy(C + i * right, c, right * sizeof(float), cudaMemcpyDeviceToHost);
    }
    cudaFree(a);
    cudaFree(c);
}
