// warpjudge: layer-norm-backward
// expect: accepted
// A block for each row makes dx and leaves the row's mean and 1 / deviation behind; then a thread
// for each column walks down the rows for the other two gradients.
#include <cuda_runtime.h>

#define THREADS 256

__device__ float
block_sum(float value)
{
    __shared__ float tree[THREADS];
    int t = threadIdx.x;

    __syncthreads(); // the call before may still be reading
    tree[t] = value;
    __syncthreads();
    for (int half = THREADS / 2; half > 0; half /= 2) {
        if (t < half)
            tree[t] += tree[t + half];
        __syncthreads();
    }
    return tree[0];
}

__global__ void
rows(const float *x, const float *gamma, const float *dy, float *dx, float2 *statistics, int C,
     float eps)
{
    size_t at = (size_t)blockIdx.x * C;
    float mean = 0.0f, variance = 0.0f, a = 0.0f, b = 0.0f;

    for (int c = threadIdx.x; c < C; c += THREADS)
        mean += x[at + c];
    mean = block_sum(mean) / C;
    for (int c = threadIdx.x; c < C; c += THREADS) {
        float w = dy[at + c] * gamma[c], d = x[at + c] - mean;

        variance += d * d;
        a += w;
        b += w * d;
    }
    float r = 1.0f / sqrtf(block_sum(variance) / C + eps);
    a = block_sum(a) / C;
    b = block_sum(b) / C * r;
    for (int c = threadIdx.x; c < C; c += THREADS)
        dx[at + c] = r * (dy[at + c] * gamma[c] - a - (x[at + c] - mean) * r * b);
    if (threadIdx.x == 0)
        statistics[blockIdx.x] = make_float2(mean, r);
}

__global__ void
columns(const float *x, const float *dy, const float2 *statistics, float *dgamma, float *dbeta,
        int N, int C)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    float gain = 0.0f, shift = 0.0f;

    if (c >= C)
        return;
    for (int n = 0; n < N; n++) {
        float d = dy[(size_t)n * C + c];

        gain += d * (x[(size_t)n * C + c] - statistics[n].x) * statistics[n].y;
        shift += d;
    }
    dgamma[c] = gain;
    dbeta[c] = shift;
}

extern "C" void
solve(const float *x, const float *gamma, const float *dy, float *dx, float *dgamma, float *dbeta,
      int N, int C, float eps)
{
    float2 *statistics;

    cudaMalloc(&statistics, N * sizeof(float2));
    rows<<<N, THREADS>>>(x, gamma, dy, dx, statistics, C, eps);
    columns<<<(C + 63) / 64, 64>>>(x, dy, statistics, dgamma, dbeta, N, C);
    cudaFree(statistics);
}
