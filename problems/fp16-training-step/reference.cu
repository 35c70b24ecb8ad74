/* One step of gradient descent. Sums are in double and taken in the same order every time; what
 * the statement rounds to half precision is rounded where it says so, and each result once. */
#include <cuda_fp16.h>

#define TILE 16
#define THREADS 256

__global__ static void
to_half(const float *W, half *Wh, size_t count)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;

    if (i < count)
        Wh[i] = __float2half_rn(W[i]);
}

/*
 * The sum over k < inner of a(i, k) * b(j, k) for the thread's i (y) and j (x). A matrix is read
 * at row * step + k * next, so that a transposed one needs no copy.
 */
__device__ static double
product(const half *a, size_t a_step, size_t a_next, int rows, const half *b, size_t b_step,
        size_t b_next, int columns, int inner)
{
    __shared__ float x[TILE][TILE + 1], y[TILE][TILE + 1]; /* halves: exact as floats */
    unsigned tx = threadIdx.x, ty = threadIdx.y;
    int i = (int)(blockIdx.y * TILE + ty), j = (int)(blockIdx.x * TILE + ty);
    double sum = 0;

    for (int k0 = 0; k0 < inner; k0 += TILE) {
        int k = k0 + (int)tx;

        x[ty][tx] = i < rows && k < inner ? __half2float(a[i * a_step + k * a_next]) : 0.0f;
        y[ty][tx] = j < columns && k < inner ? __half2float(b[j * b_step + k * b_next]) : 0.0f;
        __syncthreads();
        for (int t = 0; t < TILE; t++)
            sum += (double)x[ty][t] * y[tx][t];
        __syncthreads();
    }
    return sum;
}

/* The scaled gradient of the output, and the squared error of each of its elements. */
__global__ static void
forward(const half *X, const half *target, const half *Wh, const float *bias, half *G,
        double *squares, int B, int K, int N, double factor)
{
    int b = (int)(blockIdx.y * TILE + threadIdx.y), n = (int)(blockIdx.x * TILE + threadIdx.x);
    double sum = product(X, K, 1, B, Wh, K, 1, N, K);

    if (b >= B || n >= N)
        return;
    size_t at = (size_t)b * N + n;
    double e = (double)__half2float(__float2half_rn((float)(sum + bias[n]))) -
               (double)__half2float(target[at]);

    G[at] = __float2half_rn((float)(e * factor));
    squares[at] = e * e;
}

__global__ static void
update(const half *X, const half *G, float *W, int B, int K, int N, double lr, double loss_scale)
{
    int n = (int)(blockIdx.y * TILE + threadIdx.y), k = (int)(blockIdx.x * TILE + threadIdx.x);
    double sum = product(G, 1, N, N, X, 1, K, K, B);

    if (n < N && k < K)
        W[(size_t)n * K + k] = (float)(W[(size_t)n * K + k] - lr * (sum / loss_scale));
}

__global__ static void
update_bias(const half *G, float *bias, int B, int N, double lr, double loss_scale)
{
    int n = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    double sum = 0;

    if (n >= N)
        return;
    for (int b = 0; b < B; b++)
        sum += (double)__half2float(G[(size_t)b * N + n]);
    bias[n] = (float)(bias[n] - lr * (sum / loss_scale));
}

__global__ static void
add_up(const double *squares, float *loss, size_t count, double factor)
{
    __shared__ double tree[THREADS];
    unsigned t = threadIdx.x;
    double sum = 0;

    for (size_t i = t; i < count; i += THREADS)
        sum += squares[i];
    tree[t] = sum;
    __syncthreads();
    for (unsigned half = THREADS / 2; half > 0; half /= 2) {
        if (t < half)
            tree[t] += tree[t + half];
        __syncthreads();
    }
    if (t == 0)
        loss[0] = (float)(tree[0] * factor);
}

extern "C" void
solve(const half *X, const half *target, float *W, float *bias, float *loss, int B, int K, int N,
      float lr, float loss_scale)
{
    size_t weights = (size_t)N * K, outputs = (size_t)B * N;
    unsigned b_tiles = (unsigned)(B + TILE - 1) / TILE, k_tiles = (unsigned)(K + TILE - 1) / TILE;
    unsigned n_tiles = (unsigned)(N + TILE - 1) / TILE;
    const dim3 tile(TILE, TILE);
    double *squares;
    half *Wh, *G;

    if (cudaMalloc(&Wh, weights * sizeof *Wh) != cudaSuccess ||
        cudaMalloc(&G, outputs * sizeof *G) != cudaSuccess ||
        cudaMalloc(&squares, outputs * sizeof *squares) != cudaSuccess)
        return;
    to_half<<<(unsigned)((weights + 255) / 256), 256>>>(W, Wh, weights);
    forward<<<dim3(n_tiles, b_tiles), tile>>>(X, target, Wh, bias, G, squares, B, K, N,
                                              (double)loss_scale / B);
    add_up<<<1, THREADS>>>(squares, loss, outputs, 1 / (2.0 * B));
    update<<<dim3(k_tiles, n_tiles), tile>>>(X, G, W, B, K, N, lr, loss_scale);
    update_bias<<<(unsigned)(N + 255) / 256, 256>>>(G, bias, B, N, lr, loss_scale);
    cudaFree(Wh);
    cudaFree(G);
    cudaFree(squares);
}
