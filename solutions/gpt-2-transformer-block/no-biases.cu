// warpjudge: gpt-2-transformer-block
// expect: wrong_answer
// Leaves out the biases of the four matrices.
#include <cuda_runtime.h>

#define WIDTH 768
#define QKV (3 * WIDTH)
#define HEADS 12
#define HEAD 64
#define HIDDEN 3072
#define THREADS 256

// Where the parts of the weights are.
#define GAMMA1 0
#define BETA1 768
#define W_QKV 1536
#define B_QKV 1771008
#define W_O 1773312
#define B_O 2363136
#define GAMMA2 2363904
#define BETA2 2364672
#define W_FC 2365440
#define B_FC 4724736
#define W_PROJ 4727808
#define B_PROJ 7087104

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
layer_norm(const float *x, const float *gamma, const float *beta, float *y)
{
    const float *row = x + blockIdx.x * WIDTH;
    float sum = 0.0f, squares = 0.0f;

    for (int c = threadIdx.x; c < WIDTH; c += THREADS)
        sum += row[c];
    float mean = block_sum(sum) / WIDTH;

    for (int c = threadIdx.x; c < WIDTH; c += THREADS)
        squares += (row[c] - mean) * (row[c] - mean);
    float scale = 1.0f / sqrtf(block_sum(squares) / WIDTH + 1e-5f);

    for (int c = threadIdx.x; c < WIDTH; c += THREADS)
        y[blockIdx.x * WIDTH + c] = (row[c] - mean) * scale * gamma[c] + beta[c];
}

// y = x W + bias, plus the residual where there is one
__global__ void
linear(const float *x, const float *W, const float *bias, const float *residual, float *y,
       int rows, int in, int out)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x, t = blockIdx.y;

    if (t < rows && c < out) {
        float sum = 0.0f;

        for (int r = 0; r < in; r++)
            sum += x[t * in + r] * W[r * out + c];
        y[t * out + c] = residual ? residual[t * out + c] + sum : sum;
    }
}

__global__ void
scores(const float *qkv, float *S, int N)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y, head = blockIdx.z;

    if (j < N) {
        const float *q = qkv + i * QKV + head * HEAD,
                    *k = qkv + j * QKV + WIDTH + head * HEAD;
        float dot = 0.0f;

        for (int c = 0; c < HEAD; c++)
            dot += q[c] * k[c];
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
combine(const float *S, const float *qkv, float *attention, int N)
{
    int c = threadIdx.x, i = blockIdx.x, head = blockIdx.y;
    float sum = 0.0f;

    for (int j = 0; j < N; j++)
        sum += S[((size_t)head * N + i) * N + j] *
               qkv[j * QKV + 2 * WIDTH + head * HEAD + c];
    attention[i * WIDTH + head * HEAD + c] = sum;
}

__global__ void
gelu(float *u, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < count)
        u[i] = 0.5f * u[i] *
               (1.0f + tanhf(0.79788456f * (u[i] + 0.044715f * u[i] * u[i] * u[i])));
}

extern "C" void
solve(const float *x, float *output, const float *weights, int seq_len)
{
    const float *w = weights;
    int N = seq_len;
    size_t row = N * sizeof(float);
    dim3 pairs((N + 63) / 64, N, HEADS), columns(N, HEADS);
    float *n, *qkv, *S, *attention, *h, *u;

    cudaMalloc(&n, row * WIDTH);
    cudaMalloc(&qkv, row * QKV);
    cudaMalloc(&S, row * HEADS * N);
    cudaMalloc(&attention, row * WIDTH);
    cudaMalloc(&h, row * WIDTH);
    cudaMalloc(&u, row * HIDDEN);
    layer_norm<<<N, THREADS>>>(x, w + GAMMA1, w + BETA1, n);
    linear<<<dim3(QKV / 64, N), 64>>>(n, w + W_QKV, w + B_QKV, NULL, qkv, N, WIDTH, QKV);
    scores<<<pairs, 64>>>(qkv, S, N);
    softmax<<<(HEADS * N + 63) / 64, 64>>>(S, HEADS * N, N);
    combine<<<columns, HEAD>>>(S, qkv, attention, N);
    linear<<<dim3(WIDTH / 64, N), 64>>>(attention, w + W_O, w + B_O, x, h, N, WIDTH,
                                        WIDTH);
    layer_norm<<<N, THREADS>>>(h, w + GAMMA2, w + BETA2, n);
    linear<<<dim3(HIDDEN / 64, N), 64>>>(n, w + W_FC, w + B_FC, NULL, u, N, WIDTH,
                                         HIDDEN);
    gelu<<<(N * HIDDEN + 255) / 256, 256>>>(u, N * HIDDEN);
    linear<<<dim3(WIDTH / 64, N), 64>>>(u, w + W_PROJ, w + B_PROJ, h, output, N, HIDDEN,
                                        WIDTH);
    cudaFree(n);
    cudaFree(qkv);
    cudaFree(S);
    cudaFree(attention);
    cudaFree(h);
    cudaFree(u);
}
