// warpjudge: llama-transformer-block
// expect: wrong_answer
// Every token sees all others: the causal mask is forgotten.
#include <cuda_runtime.h>

#define WIDTH 512
#define HEADS 8
#define KV_HEADS 2
#define GROUP (HEADS / KV_HEADS)
#define HEAD 64
#define HALF (HEAD / 2)
#define KV_WIDTH (KV_HEADS * HEAD)
#define HIDDEN 1408
#define THREADS 256

// Where the parts of the weights are.
#define NORM1 0
#define W_Q 512
#define W_K 262656
#define W_V 328192
#define W_O 393728
#define NORM2 655872
#define W_GATE 656384
#define W_UP 1377280
#define W_DOWN 2098176

// The sum over the block, in every thread.
__device__ static float
block_sum(float value)
{
    __shared__ float tree[THREADS];
    int t = threadIdx.x;

    tree[t] = value;
    __syncthreads();
    for (int half = THREADS / 2; half > 0; half /= 2) {
        if (t < half)
            tree[t] += tree[t + half];
        __syncthreads();
    }
    value = tree[0];
    __syncthreads();
    return value;
}

__global__ void
rms_norm(const float *x, const float *scale, float *y)
{
    const float *row = x + blockIdx.x * WIDTH;
    float squares = 0.0f;

    for (int c = threadIdx.x; c < WIDTH; c += THREADS)
        squares += row[c] * row[c];
    float rms = sqrtf(block_sum(squares) / WIDTH + 1e-5f);

    for (int c = threadIdx.x; c < WIDTH; c += THREADS)
        y[blockIdx.x * WIDTH + c] = row[c] / rms * scale[c];
}

// y = x W^T, plus the residual where there is one
__global__ void
linear(const float *x, const float *W, const float *residual, float *y, int in, int out)
{
    int o = blockIdx.x * blockDim.x + threadIdx.x, t = blockIdx.y;

    if (o < out) {
        float sum = 0.0f;

        for (int i = 0; i < in; i++)
            sum += x[t * in + i] * W[o * in + i];
        y[t * out + o] = residual ? residual[t * out + o] + sum : sum;
    }
}

// A block for each token, a thread for each pair of a head's two halves.
__global__ void
rotate(float *z, const float *cosines, const float *sines, int width)
{
    int t = blockIdx.x, j = threadIdx.x % HALF;
    float *first = z + t * width + threadIdx.x / HALF * HEAD + j, *second = first + HALF;
    float c = cosines[t * HALF + j], s = sines[t * HALF + j], a = *first, b = *second;

    *first = a * c - b * s;
    *second = a * s + b * c;
}

// Keys that come later keep the score -inf.
__global__ void
scores(const float *q, const float *k, float *S, int N)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y, head = blockIdx.z;

    if (j < N) {
        const float *a = q + i * WIDTH + head * HEAD,
                    *b = k + j * KV_WIDTH + head / GROUP * HEAD;
        float dot = 0.0f;

        for (int c = 0; c < HEAD; c++)
            dot += a[c] * b[c];
        S[((size_t)head * N + i) * N + j] = dot / 8.0f;
    }
}

__global__ void
softmax(float *S, int rows, int N)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < rows) {
        float *row = S + (size_t)i * N, top = -INFINITY, sum = 0.0f;

        for (int j = 0; j < N; j++)
            top = fmaxf(top, row[j]);
        for (int j = 0; j < N; j++) {
            row[j] = expf(row[j] - top);
            sum += row[j];
        }
        for (int j = 0; j < N; j++)
            row[j] /= sum;
    }
}

__global__ void
combine(const float *S, const float *v, float *attention, int N)
{
    int c = threadIdx.x, i = blockIdx.x, head = blockIdx.y;
    float sum = 0.0f;

    for (int j = 0; j < N; j++)
        sum +=
            S[((size_t)head * N + i) * N + j] * v[j * KV_WIDTH + head / GROUP * HEAD + c];
    attention[i * WIDTH + head * HEAD + c] = sum;
}

__global__ void
gate(float *g, const float *u, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < count)
        g[i] = g[i] / (1.0f + expf(-g[i])) * u[i];
}

extern "C" void
solve(const float *x, float *output, const float *weights, const float *cos,
      const float *sin, int seq_len)
{
    const float *w = weights;
    int N = seq_len;
    size_t row = N * sizeof(float);
    dim3 pairs((N + 63) / 64, N, HEADS), columns(N, HEADS);
    dim3 wide(WIDTH / 64, N), narrow(KV_WIDTH / 64, N), hidden(HIDDEN / 64, N);
    float *n, *q, *k, *v, *S, *h, *g, *u;

    cudaMalloc(&n, row * WIDTH);
    cudaMalloc(&q, row * WIDTH);
    cudaMalloc(&k, row * KV_WIDTH);
    cudaMalloc(&v, row * KV_WIDTH);
    cudaMalloc(&S, row * HEADS * N);
    cudaMalloc(&h, row * WIDTH);
    cudaMalloc(&g, row * HIDDEN);
    cudaMalloc(&u, row * HIDDEN);
    rms_norm<<<N, THREADS>>>(x, w + NORM1, n);
    linear<<<wide, 64>>>(n, w + W_Q, NULL, q, WIDTH, WIDTH);
    linear<<<narrow, 64>>>(n, w + W_K, NULL, k, WIDTH, KV_WIDTH);
    linear<<<narrow, 64>>>(n, w + W_V, NULL, v, WIDTH, KV_WIDTH);
    rotate<<<N, HEADS * HALF>>>(q, cos, sin, WIDTH);
    rotate<<<N, KV_HEADS * HALF>>>(k, cos, sin, KV_WIDTH);
    scores<<<pairs, 64>>>(q, k, S, N);
    softmax<<<(HEADS * N + 63) / 64, 64>>>(S, HEADS * N, N);
    combine<<<columns, HEAD>>>(S, v, n, N);
    linear<<<wide, 64>>>(n, w + W_O, x, h, WIDTH, WIDTH);
    rms_norm<<<N, THREADS>>>(h, w + NORM2, n);
    linear<<<hidden, 64>>>(n, w + W_GATE, NULL, g, WIDTH, HIDDEN);
    linear<<<hidden, 64>>>(n, w + W_UP, NULL, u, WIDTH, HIDDEN);
    gate<<<(N * HIDDEN + 255) / 256, 256>>>(g, u, N * HIDDEN);
    linear<<<wide, 64>>>(g, w + W_DOWN, h, output, HIDDEN, WIDTH);
    cudaFree(n);
    cudaFree(q);
    cudaFree(k);
    cudaFree(v);
    cudaFree(S);
    cudaFree(h);
    cudaFree(g);
    cudaFree(u);
}
