/*
 * The block step by step in double, rounded once at the end. Matrix products are the
 * tiles of `multiply`; attention has a block for each query and head, HEAD keys at a
 * time.
 */
#define WIDTH 768
#define QKV (3 * WIDTH)
#define HEADS 12
#define HEAD 64
#define HIDDEN 3072
#define THREADS 256

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

#define TILE 64
#define DEPTH 16
#define OWN 4

/*
 * C = A B in double. C (M x N) and A (M x K) are row-major; element (k, j) of B is at
 * k * down + j * across. A block of 16 x 16 threads makes a tile of 64 x 64, each thread
 * 4 x 4 of it.
 */
template <typename T>
__global__ static void __launch_bounds__(256)
    multiply(const T *A, const float *B, size_t down, size_t across, double *C, int M,
             int N, int K)
{
    __shared__ double a[DEPTH][TILE + 1], b[DEPTH][TILE + 1];
    const int thread = (int)threadIdx.x, tx = thread % 16, ty = thread / 16;
    const int row0 = (int)blockIdx.y * TILE, column0 = (int)blockIdx.x * TILE;
    double sum[OWN][OWN] = {};

    for (int k0 = 0; k0 < K; k0 += DEPTH) {
        for (int e = thread; e < TILE * DEPTH; e += 256) {
            int r = e / DEPTH, k = e % DEPTH;
            bool inside = row0 + r < M && k0 + k < K;

            a[k][r] = inside ? (double)A[(size_t)(row0 + r) * K + k0 + k] : 0;
        }
        for (int e = thread; e < TILE * DEPTH; e += 256) {
            int k = e / TILE, c = e % TILE;
            bool inside = k0 + k < K && column0 + c < N;

            b[k][c] = inside ? (double)B[(k0 + k) * down + (column0 + c) * across] : 0;
        }
        __syncthreads();
        for (int k = 0; k < DEPTH; k++)
            for (int r = 0; r < OWN; r++)
                if (row0 + ty + 16 * r < M) /* short sequences leave most rows empty */
                    for (int c = 0; c < OWN; c++)
                        sum[r][c] += a[k][ty + 16 * r] * b[k][tx + 16 * c];
        __syncthreads();
    }
    for (int r = 0; r < OWN; r++) {
        int row = row0 + ty + 16 * r;

        for (int c = 0; c < OWN; c++) {
            int column = column0 + tx + 16 * c;

            if (row < M && column < N)
                C[(size_t)row * N + column] = sum[r][c];
        }
    }
}

static dim3
tiles(int M, int N)
{
    return dim3((unsigned)(N + TILE - 1) / TILE, (unsigned)(M + TILE - 1) / TILE);
}

/* The sum over the block, in every thread. */
__device__ static double
block_sum(double value)
{
    __shared__ double tree[THREADS];
    const unsigned t = threadIdx.x;

    tree[t] = value;
    __syncthreads();
    for (unsigned half = THREADS / 2; half > 0; half /= 2) {
        if (t < half)
            tree[t] += tree[t + half];
        __syncthreads();
    }
    value = tree[0];
    __syncthreads();
    return value;
}

/* The maximum over the block, in every thread. */
__device__ static double
block_max(double value)
{
    __shared__ double tree[HEAD];
    const unsigned t = threadIdx.x;

    tree[t] = value;
    __syncthreads();
    for (unsigned half = HEAD / 2; half > 0; half /= 2) {
        if (t < half)
            tree[t] = fmax(tree[t], tree[t + half]);
        __syncthreads();
    }
    value = tree[0];
    __syncthreads();
    return value;
}

template <typename T>
__global__ static void
layer_norm(const T *x, const float *gamma, const float *beta, double *y)
{
    const size_t row = (size_t)blockIdx.x * WIDTH;
    double sum = 0, squares = 0, mean, scale;

    for (int c = (int)threadIdx.x; c < WIDTH; c += THREADS)
        sum += x[row + c];
    mean = block_sum(sum) / WIDTH;
    for (int c = (int)threadIdx.x; c < WIDTH; c += THREADS)
        squares += (x[row + c] - mean) * (x[row + c] - mean);
    scale = 1 / sqrt(block_sum(squares) / WIDTH + 1e-5);
    for (int c = (int)threadIdx.x; c < WIDTH; c += THREADS)
        y[row + c] = (x[row + c] - mean) * scale * gamma[c] + beta[c];
}

__global__ static void
__launch_bounds__(HEAD) attend(const double *qkv, double *attention, int N)
{
    __shared__ double query[HEAD], weight[HEAD];
    const int t = (int)threadIdx.x;
    const size_t column = blockIdx.y * HEAD;
    const double *k = qkv + WIDTH + column, *v = k + WIDTH;
    double top = -INFINITY, total = 0, sum = 0;

    query[t] = qkv[(size_t)blockIdx.x * QKV + column + t];
    __syncthreads();
    for (int first = 0; first < N; first += HEAD) {
        int j = first + t, count = min(HEAD, N - first);
        double score = -INFINITY, higher, shrink;

        if (j < N) {
            score = 0;
            for (int c = 0; c < HEAD; c++)
                score += query[c] * k[(size_t)j * QKV + c];
            score /= 8;
        }
        higher = fmax(top, block_max(score));
        shrink = top == -INFINITY ? 0 : exp(top - higher);
        weight[t] = score == -INFINITY ? 0 : exp(score - higher);
        __syncthreads();
        top = higher;
        total *= shrink;
        sum *= shrink;
        for (int n = 0; n < count; n++) {
            total += weight[n];
            sum += weight[n] * v[(size_t)(first + n) * QKV + t];
        }
        __syncthreads();
    }
    attention[(size_t)blockIdx.x * WIDTH + column + t] = sum / total;
}

/* y += bias of its column, then GELU where asked for */
__global__ static void
add_bias(double *y, const float *bias, int width, size_t count, bool gelu)
{
    const size_t step = (size_t)gridDim.x * blockDim.x;

    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += step) {
        double u = y[i] + bias[i % width];

        if (gelu)
            u = 0.5 * u *
                (1 + tanh(sqrt(2 / 3.14159265358979323846) * (u + 0.044715 * u * u * u)));
        y[i] = u;
    }
}

template <typename A, typename B>
__global__ static void
add(const A *a, const double *b, B *sum, size_t count)
{
    const size_t step = (size_t)gridDim.x * blockDim.x;

    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += step)
        sum[i] = (B)(a[i] + b[i]);
}

/* y = x W + bias */
static void
linear(const double *x, const float *W, const float *bias, double *y, int rows, int in,
       int out, bool gelu)
{
    const dim3 grid = tiles(rows, out);

    multiply<<<grid, 256>>>(x, W, (size_t)out, 1, y, rows, out, in);
    add_bias<<<256, 256>>>(y, bias, out, (size_t)rows * out, gelu);
}

extern "C" void
solve(const float *x, float *output, const float *weights, int seq_len)
{
    const float *w = weights;
    const int N = seq_len;
    const size_t count = (size_t)N * WIDTH;
    const dim3 queries((unsigned)N, HEADS);
    double *n, *qkv, *p, *h, *u;

    if (cudaMalloc(&n, count * sizeof *n) != cudaSuccess ||
        cudaMalloc(&qkv, 3 * count * sizeof *qkv) != cudaSuccess ||
        cudaMalloc(&p, count * sizeof *p) != cudaSuccess ||
        cudaMalloc(&h, count * sizeof *h) != cudaSuccess ||
        cudaMalloc(&u, (size_t)N * HIDDEN * sizeof *u) != cudaSuccess)
        return;
    layer_norm<<<(unsigned)N, THREADS>>>(x, w + GAMMA1, w + BETA1, n);
    linear(n, w + W_QKV, w + B_QKV, qkv, N, WIDTH, QKV, false);
    attend<<<queries, HEAD>>>(qkv, n, N);
    linear(n, w + W_O, w + B_O, p, N, WIDTH, WIDTH, false);
    add<<<256, 256>>>(x, p, h, count);
    layer_norm<<<(unsigned)N, THREADS>>>(h, w + GAMMA2, w + BETA2, n);
    linear(n, w + W_FC, w + B_FC, u, N, WIDTH, HIDDEN, true);
    linear(u, w + W_PROJ, w + B_PROJ, p, N, HIDDEN, WIDTH, false);
    add<<<256, 256>>>(h, p, output, count);
    cudaFree(n);
    cudaFree(qkv);
    cudaFree(p);
    cudaFree(h);
    cudaFree(u);
}
