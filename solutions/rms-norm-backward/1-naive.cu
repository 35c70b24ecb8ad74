// warpjudge: rms-norm-backward
// expect: accepted
// idea: The slowest way comes first, to measure the others against. A block sums up a row twice, and then
//   a thread walks down each column.
// A block for each row makes dx and leaves 1 / root mean square behind; then a thread for each
// column walks down the rows for dweight. Both inputs are read three times.
// H200: 3.78 ms
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
rows(const float *x, const float *weight, const float *dy, float *dx, float *inverse, int C,
     float eps)
{
    size_t at = (size_t)blockIdx.x * C;
    float square = 0.0f, q = 0.0f;

    for (int c = threadIdx.x; c < C; c += THREADS) {
        square += x[at + c] * x[at + c];
        q += dy[at + c] * weight[c] * x[at + c];
    }
    square = block_sum(square);
    q = block_sum(q) / C;
    float r = 1.0f / sqrtf(square / C + eps);

    for (int c = threadIdx.x; c < C; c += THREADS)
        dx[at + c] = r * (dy[at + c] * weight[c] - r * r * q * x[at + c]);
    if (threadIdx.x == 0)
        inverse[blockIdx.x] = r;
}

__global__ void
columns(const float *x, const float *dy, const float *inverse, float *dweight, int N, int C)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;

    if (c >= C)
        return;
    for (int n = 0; n < N; n++)
        sum += dy[(size_t)n * C + c] * x[(size_t)n * C + c] * inverse[n];
    dweight[c] = sum;
}

extern "C" void
solve(const float *x, const float *weight, const float *dy, float *dx, float *dweight, int N,
      int C, float eps)
{
    float *inverse;

    cudaMalloc(&inverse, N * sizeof(float));
    rows<<<N, THREADS>>>(x, weight, dy, dx, inverse, C, eps);
    columns<<<(C + 63) / 64, 64>>>(x, dy, inverse, dweight, N, C);
    cudaFree(inverse);
}
