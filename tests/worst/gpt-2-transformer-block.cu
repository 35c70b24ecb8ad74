// warpjudge: gpt-2-transformer-block
// Step by step in double: a thread for each column of a linear layer and for each head, one thread elsewhere.
#define WIDTH 768
#define QKV (3 * WIDTH)
#define HEADS 12
#define HEAD 64
#define HIDDEN 3072

/* Where the parts of the weights are. */
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

__global__ void
widen(const float *x, double *h, int count)
{
    for (int i = 0; i < count; i++)
        h[i] = x[i];
}

__global__ void
layer_norm(const double *x, const float *gamma, const float *beta, double *y, int N)
{
    for (long t = 0; t < N; t++, x += WIDTH, y += WIDTH) {
        double mean = 0, variance = 0;

        for (int c = 0; c < WIDTH; c++)
            mean += x[c] / WIDTH;
        for (int c = 0; c < WIDTH; c++)
            variance += (x[c] - mean) * (x[c] - mean) / WIDTH;
        for (int c = 0; c < WIDTH; c++)
            y[c] = (x[c] - mean) / sqrt(variance + 1e-5) * gamma[c] + beta[c];
    }
}

/* y = x W + bias, a thread for each column */
__global__ void
linear(const double *x, const float *W, const float *bias, double *y, int N, int in, int out)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;

    if (c >= out)
        return;
    for (int t = 0; t < N; t++) {
        double sum = bias[c];

        for (int r = 0; r < in; r++)
            sum += x[t * in + r] * W[r * out + c];
        y[t * out + c] = sum;
    }
}

/* One query and head: out = softmax of the scores, times V. k and v: its columns of row
 * 0. */
__device__ void
attend(const double *q, const double *k, const double *v, double *out, int N)
{
    double top = -INFINITY, total = 0;

    for (int c = 0; c < HEAD; c++)
        out[c] = 0;
    for (long j = 0; j < N; j++) {
        double score = 0, weight;

        for (int c = 0; c < HEAD; c++)
            score += q[c] * k[j * QKV + c];
        score /= 8;
        if (score > top) {
            double shrink = exp(top - score);

            total *= shrink;
            for (int c = 0; c < HEAD; c++)
                out[c] *= shrink;
            top = score;
        }
        weight = exp(score - top);
        total += weight;
        for (int c = 0; c < HEAD; c++)
            out[c] += weight * v[j * QKV + c];
    }
    for (int c = 0; c < HEAD; c++)
        out[c] /= total;
}

__global__ void
heads(const double *qkv, double *n, int N)
{
    int head = threadIdx.x;
    const double *k = qkv + WIDTH + head * HEAD;

    for (int i = 0; i < N; i++)
        attend(qkv + i * QKV + head * HEAD, k, k + WIDTH, n + i * WIDTH + head * HEAD, N);
}

__global__ void
add(double *h, const double *p, int count)
{
    for (int i = 0; i < count; i++)
        h[i] += p[i];
}

__global__ void
gelu(double *u, int count)
{
    for (int i = 0; i < count; i++)
        u[i] = 0.5 * u[i] * (1 + tanh(sqrt(2 / M_PI) * (u[i] + 0.044715 * u[i] * u[i] * u[i])));
}

__global__ void
narrow(const double *h, const double *p, float *output, int count)
{
    for (int i = 0; i < count; i++)
        output[i] = (float)(h[i] + p[i]);
}

static double *
rows_of(int N, int width)
{
    double *rows;

    cudaMalloc(&rows, sizeof(double) * N * width);
    return rows;
}

static void
layer(const double *x, const float *W, const float *bias, double *y, int N, int in, int out)
{
    linear<<<(out + 255) / 256, 256>>>(x, W, bias, y, N, in, out);
}

extern "C" void
solve(const float *x, float *output, const float *weights, int seq_len)
{
    const float *w = weights;
    const int N = seq_len, count = N * WIDTH;
    double *h = rows_of(N, WIDTH), *n = rows_of(N, WIDTH), *p = rows_of(N, WIDTH);
    double *qkv = rows_of(N, QKV), *u = rows_of(N, HIDDEN);

    widen<<<1, 1>>>(x, h, count);
    layer_norm<<<1, 1>>>(h, w + GAMMA1, w + BETA1, n, N);
    layer(n, w + W_QKV, w + B_QKV, qkv, N, WIDTH, QKV);
    heads<<<1, HEADS>>>(qkv, n, N);
    layer(n, w + W_O, w + B_O, p, N, WIDTH, WIDTH);
    add<<<1, 1>>>(h, p, count);
    layer_norm<<<1, 1>>>(h, w + GAMMA2, w + BETA2, n, N);
    layer(n, w + W_FC, w + B_FC, u, N, WIDTH, HIDDEN);
    gelu<<<1, 1>>>(u, N * HIDDEN);
    layer(u, w + W_PROJ, w + B_PROJ, p, N, HIDDEN, WIDTH);
    narrow<<<1, 1>>>(h, p, output, count);
    for (double *room : {h, n, p, qkv, u})
        cudaFree(room);
}
