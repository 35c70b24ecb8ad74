// warpjudge: tensor-parallel-matmul
// expect: accepted
// Everything is only begun: streams and events keep the order on both GPUs, and when solve() returns
// both still work.
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
    static cudaStream_t stream[2];
    static cudaEvent_t made[2], read[2];
    static float *theirs[2];
    static size_t room;
    const float *X[2] = {X0, X1}, *W[2] = {W0, W1};
    float *Y[2] = {Y0, Y1};
    size_t count = (size_t)M * N, bytes = count * sizeof(float);
    dim3 grid((N + TILE - 1) / TILE, (M + TILE - 1) / TILE), block(TILE, TILE);

    for (int gpu = 0; gpu < 2; gpu++) {
        cudaSetDevice(gpu);
        if (room == 0) {
            cudaStreamCreateWithFlags(&stream[gpu], cudaStreamNonBlocking);
            cudaEventCreateWithFlags(&made[gpu], cudaEventDisableTiming);
            cudaEventCreateWithFlags(&read[gpu], cudaEventDisableTiming);
        }
        if (room < bytes) {
            cudaFree(theirs[gpu]);
            cudaMalloc(&theirs[gpu], bytes);
        }
    }
    if (room < bytes)
        room = bytes;
    for (int gpu = 0; gpu < 2; gpu++) {
        cudaSetDevice(gpu);
        product<<<grid, block, 0, stream[gpu]>>>(X[gpu], W[gpu], Y[gpu], M, N, K);
        cudaEventRecord(made[gpu], stream[gpu]);
    }
    for (int gpu = 0; gpu < 2; gpu++) {
        cudaSetDevice(gpu);
        cudaStreamWaitEvent(stream[gpu], made[1 - gpu], 0);
        cudaMemcpyPeerAsync(theirs[gpu], gpu, Y[1 - gpu], 1 - gpu, bytes, stream[gpu]);
        cudaEventRecord(read[gpu], stream[gpu]);
    }
    for (int gpu = 1; gpu >= 0; gpu--) {
        cudaSetDevice(gpu);
        cudaStreamWaitEvent(stream[gpu], read[1 - gpu], 0);
        add<<<(count + 255) / 256, 256, 0, stream[gpu]>>>(Y[gpu], theirs[gpu], count);
    }
}
