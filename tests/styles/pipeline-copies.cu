// warpjudge: sgemm
// cuda::pipeline with two stages of asynchronous copies into shared memory.
#include <cooperative_groups.h>
#include <cuda/pipeline>

constexpr int size = 16;

__global__ void sgemm(const float *A, const float *B, float *C, int M, int N, int K, float alpha, float beta)
{
    __shared__ float a[2][size][size], b[2][size][size];
    cuda::pipeline<cuda::thread_scope_thread> pipe = cuda::make_pipeline();
    const int x = threadIdx.x, y = threadIdx.y, i = blockIdx.y * size + y, j = blockIdx.x * size + x;
    const int tiles = (K + size - 1) / size;
    float sum = 0;

    auto fetch = [&](int t) {
        const int k = t * size;
        pipe.producer_acquire();
        if (i < M && k + x < K)
            cuda::memcpy_async(&a[t & 1][y][x], &A[(size_t)i * K + k + x], sizeof(float), pipe);
        else
            a[t & 1][y][x] = 0;
        if (k + y < K && j < N)
            cuda::memcpy_async(&b[t & 1][y][x], &B[(size_t)(k + y) * N + j], sizeof(float), pipe);
        else
            b[t & 1][y][x] = 0;
        pipe.producer_commit();
    };
    fetch(0);
    for (int t = 0; t < tiles; t++) {
        if (t + 1 < tiles)
            fetch(t + 1);
        if (t + 1 < tiles)
            cuda::pipeline_consumer_wait_prior<1>(pipe);
        else
            cuda::pipeline_consumer_wait_prior<0>(pipe);
        __syncthreads();
        for (int k = 0; k < size; k++)
            sum += a[t & 1][y][k] * b[t & 1][k][x];
        pipe.consumer_release();
        __syncthreads();
    }
    if (i < M && j < N)
        C[(size_t)i * N + j] = beta == 0 ? alpha * sum : alpha * sum + beta * C[(size_t)i * N + j];
}

extern "C" void
solve(const float *A, const float *B, float *C, int M, int N, int K, float alpha, float beta)
{
    sgemm<<<dim3((N + size - 1) / size, (M + size - 1) / size), dim3(size, size)>>>(A, B, C, M, N, K, alpha, beta);
}
