// warpjudge: multi-stream-gemm
// expect: accepted
// The same on four streams in turn, each with buffers of its own: copies in, products and copies
// out of different matrices overlap.
#include <cuda_runtime.h>

#define TILE 16
#define STREAMS 4

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
    cudaStream_t stream[STREAMS];
    float *a[STREAMS], *c[STREAMS];

    for (int s = 0; s < STREAMS; s++) {
        cudaStreamCreateWithFlags(&stream[s], cudaStreamNonBlocking);
        cudaMalloc(&a[s], left * sizeof(float));
        cudaMalloc(&c[s], right * sizeof(float));
    }
    for (int i = 0; i < batch; i++) {
        int s = i % STREAMS;

        cudaMemcpyAsync(a[s], A + i * left, left * sizeof(float), cudaMemcpyHostToDevice,
                        stream[s]);
        product<<<grid, dim3(TILE, TILE), 0, stream[s]>>>(a[s], B, c[s], M, N, K);
        cudaMemcpyAsync(C + i * right, c[s], right * sizeof(float), cudaMemcpyDeviceToHost,
                        stream[s]);
    }
    for (int s = 0; s < STREAMS; s++) {
        cudaStreamSynchronize(stream[s]);
        cudaStreamDestroy(stream[s]);
        cudaFree(a[s]);
        cudaFree(c[s]);
    }
}
