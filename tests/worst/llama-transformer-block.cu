// warpjudge: llama-transformer-block
// Step by step in double: a thread for each column of a linear layer and for each head, one thread elsewhere.
#define WIDTH 512
#define HEADS 8
#define KV_HEADS 2
#define GROUP (HEADS / KV_HEADS)
#define HEAD 64
#define HALF (HEAD / 2)
#define KV_WIDTH (KV_HEADS * HEAD)
#define HIDDEN 1408

/* Where the parts of the weights are. */
#define NORM1 0
#define W_Q 512
#define W_K 262656
#define W_V 328192
#define W_O 393728
#define NORM2 655872
#define W_GATE 656384
#define W_UP 1377280
#define W_DOWN 2098176

__global__ void
widen(const float *x, double *h, int count)
{
    for (int i = 0; i < count; i++)
        h[i] = x[i];
}

__global__ void
rms_norm(const double *x, const float *scale, double *y, int N)
{
    for (long t = 0; t < N; t++, x += WIDTH, y += WIDTH) {
        double squares = 0;

        for (int c = 0; c < WIDTH; c++)
            squares += x[c] * x[c];
        for (int c = 0; c < WIDTH; c++)
            y[c] = x[c] / sqrt(squares / WIDTH + 1e-5) * scale[c];
    }
}

/* y = x W^T, added to y where `adds`; a thread for each column */
__global__ void
linear(const double *x, const float *W, double *y, int N, int in, int out, bool adds)
{
    int o = blockIdx.x * blockDim.x + threadIdx.x;

    if (o >= out)
        return;
    for (int t = 0; t < N; t++) {
        double sum = adds ? y[t * out + o] : 0;

        for (int i = 0; i < in; i++)
            sum += x[t * in + i] * W[o * in + i];
        y[t * out + o] = sum;
    }
}

/* Every head of every token: element j of its first half with element j of its second. */
__global__ void
rotate(double *z, const float *cosines, const float *sines, int N, int width)
{
    for (long t = 0; t < N; t++) {
        for (double *head = z + t * width; head < z + (t + 1) * width; head += HEAD) {
            for (long j = 0; j < HALF; j++) {
                const double c = cosines[t * HALF + j], s = sines[t * HALF + j];
                const double a = head[j], b = head[j + HALF];

                head[j] = a * c - b * s;
                head[j + HALF] = a * s + b * c;
            }
        }
    }
}

/* One query and head over the first `count` tokens. k and v: its columns of row 0. */
__device__ void
attend(const double *q, const double *k, const double *v, double *out, long count)
{
    double top = -INFINITY, total = 0;

    for (int c = 0; c < HEAD; c++)
        out[c] = 0;
    for (long j = 0; j < count; j++) {
        double score = 0, weight;

        for (int c = 0; c < HEAD; c++)
            score += q[c] * k[j * KV_WIDTH + c];
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
            out[c] += weight * v[j * KV_WIDTH + c];
    }
    for (int c = 0; c < HEAD; c++)
        out[c] /= total;
}

__global__ void
heads(const double *q, const double *k, const double *v, double *n, int N)
{
    int head = threadIdx.x, shared = head / GROUP * HEAD;

    for (int i = 0; i < N; i++)
        attend(q + i * WIDTH + head * HEAD, k + shared, v + shared, n + i * WIDTH + head * HEAD, i + 1);
}

__global__ void
gate(double *g, const double *u, int count)
{
    for (int i = 0; i < count; i++)
        g[i] = g[i] / (1 + exp(-g[i])) * u[i];
}

__global__ void
narrow(const double *h, float *output, int count)
{
    for (int i = 0; i < count; i++)
        output[i] = (float)h[i];
}

static double *
rows_of(int N, int width)
{
    double *rows;

    cudaMalloc(&rows, sizeof(double) * N * width);
    return rows;
}

static void
layer(const double *x, const float *W, double *y, int N, int in, int out, bool adds = false)
{
    linear<<<(out + 255) / 256, 256>>>(x, W, y, N, in, out, adds);
}

extern "C" void
solve(const float *x, float *output, const float *weights, const float *cos, const float *sin, int seq_len)
{
    const float *w = weights;
    const int N = seq_len;
    double *h = rows_of(N, WIDTH), *n = rows_of(N, WIDTH), *q = rows_of(N, WIDTH);
    double *k = rows_of(N, KV_WIDTH), *v = rows_of(N, KV_WIDTH), *g = rows_of(N, HIDDEN), *u = rows_of(N, HIDDEN);

    widen<<<1, 1>>>(x, h, N * WIDTH);
    rms_norm<<<1, 1>>>(h, w + NORM1, n, N);
    layer(n, w + W_Q, q, N, WIDTH, WIDTH);
    layer(n, w + W_K, k, N, WIDTH, KV_WIDTH);
    layer(n, w + W_V, v, N, WIDTH, KV_WIDTH);
    rotate<<<1, 1>>>(q, cos, sin, N, WIDTH);
    rotate<<<1, 1>>>(k, cos, sin, N, KV_WIDTH);
    heads<<<1, HEADS>>>(q, k, v, n, N);
    layer(n, w + W_O, h, N, WIDTH, WIDTH, true);
    rms_norm<<<1, 1>>>(h, w + NORM2, n, N);
    layer(n, w + W_GATE, g, N, WIDTH, HIDDEN);
    layer(n, w + W_UP, u, N, WIDTH, HIDDEN);
    gate<<<1, 1>>>(g, u, N * HIDDEN);
    layer(g, w + W_DOWN, h, N, HIDDEN, WIDTH, true);
    narrow<<<1, 1>>>(h, output, N * WIDTH);
    for (double *room : {h, n, q, k, v, g, u})
        cudaFree(room);
}
