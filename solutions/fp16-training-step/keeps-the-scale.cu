// warpjudge: fp16-training-step
// expect: wrong_answer
// The gradients are not divided by the loss scale again: right only where it is 1.
#include <cuda_fp16.h>

#define TILE 16
#define THREADS 256

__global__ void
to_half(const float *W, half *Wh, size_t count)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;

    if (i < count)
        Wh[i] = __float2half(W[i]);
}

// The sum over k of a(i, k) * b(j, k) for the thread's i and j; a matrix is read at row * step +
// k * next.
__device__ float
product(const half *a, size_t a_step, size_t a_next, int rows, const half *b, size_t b_step,
        size_t b_next, int columns, int inner)
{
    __shared__ float x[TILE][TILE + 1], y[TILE][TILE + 1];
    int tx = threadIdx.x, ty = threadIdx.y;
    int i = blockIdx.y * TILE + ty, j = blockIdx.x * TILE + ty;
    float sum = 0.0f;

    for (int k0 = 0; k0 < inner; k0 += TILE) {
        int k = k0 + tx;

        x[ty][tx] = i < rows && k < inner ? __half2float(a[i * a_step + k * a_next]) : 0.0f;
        y[ty][tx] = j < columns && k < inner ? __half2float(b[j * b_step + k * b_next]) : 0.0f;
        __syncthreads();
        for (int t = 0; t < TILE; t++)
            sum += x[ty][t] * y[tx][t];
        __syncthreads();
    }
    return sum;
}

__global__ void
forward(const half *X, const half *target, const half *Wh, const float *bias, half *G,
        float *squares, int B, int K, int N, float factor)
{
    __shared__ float tree[TILE * TILE];
    int b = blockIdx.y * TILE + threadIdx.y, n = blockIdx.x * TILE + threadIdx.x;
    int t = threadIdx.y * TILE + threadIdx.x;
    float sum = product(X, K, 1, B, Wh, K, 1, N, K), e = 0.0f;

    if (b < B && n < N) {
        e = __half2float(__float2half(sum + bias[n])) - __half2float(target[(size_t)b * N + n]);
        G[(size_t)b * N + n] = __float2half(e * factor);
    }
    tree[t] = e * e;
    __syncthreads();
    for (int half = TILE * TILE / 2; half > 0; half /= 2) {
        if (t < half)
            tree[t] += tree[t + half];
        __syncthreads();
    }
    if (t == 0)
        squares[blockIdx.y * gridDim.x + blockIdx.x] = tree[0];
}

__global__ void
add_up(const float *squares, float *loss, int count, float factor)
{
    __shared__ float tree[THREADS];
    int t = threadIdx.x;
    float sum = 0.0f;

    for (int i = t; i < count; i += THREADS)
        sum += squares[i];
    tree[t] = sum;
    __syncthreads();
    for (int half = THREADS / 2; half > 0; half /= 2) {
        if (t < half)
            tree[t] += tree[t + half];
        __syncthreads();
    }
    if (t == 0)
        loss[0] = tree[0] * factor;
}

__global__ void
update(const half *X, const half *G, float *W, int B, int K, int N, float rate)
{
    int n = blockIdx.y * TILE + threadIdx.y, k = blockIdx.x * TILE + threadIdx.x;
    float sum = product(G, 1, N, N, X, 1, K, K, B);

    if (n < N && k < K)
        W[(size_t)n * K + k] -= rate * sum;
}

__global__ void
update_bias(const half *G, float *bias, int B, int N, float rate)
{
    int n = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;

    if (n >= N)
        return;
    for (int b = 0; b < B; b++)
        sum += __half2float(G[(size_t)b * N + n]);
    bias[n] -= rate * sum;
}

extern "C" void
solve(const half *X, const half *target, float *W, float *bias, float *loss, int B, int K, int N,
      float lr, float loss_scale)
{
    size_t weights = (size_t)N * K;
    int b_tiles = (B + TILE - 1) / TILE, k_tiles = (K + TILE - 1) / TILE;
    int n_tiles = (N + TILE - 1) / TILE;
    const dim3 tile(TILE, TILE);
    float *squares;
    half *Wh, *G;

    cudaMalloc(&Wh, weights * sizeof(half));
    cudaMalloc(&G, (size_t)B * N * sizeof(half));
    cudaMalloc(&squares, (size_t)b_tiles * n_tiles * sizeof(float));
    to_half<<<(weights + 255) / 256, 256>>>(W, Wh, weights);
    forward<<<dim3(n_tiles, b_tiles), tile>>>(X, target, Wh, bias, G, squares, B, K, N,
                                              loss_scale / B);
    add_up<<<1, THREADS>>>(squares, loss, b_tiles * n_tiles, 0.5f / B);
    update<<<dim3(k_tiles, n_tiles), tile>>>(X, G, W, B, K, N, lr);
    update_bias<<<(N + 255) / 256, 256>>>(G, bias, B, N, lr);
    cudaFree(Wh);
    cudaFree(G);
    cudaFree(squares);
}
