/*
 * The block step by step in double, rounded once at the end. Matrix products are the
 * tiles of `multiply`; attention has a block for each query and head, HEAD keys at a
 * time.
 */
#define WIDTH 512
#define HEADS 8
#define KV_HEADS 2
#define GROUP (HEADS / KV_HEADS)
#define HEAD 64
#define HALF (HEAD / 2)
#define KV_WIDTH (KV_HEADS * HEAD)
#define HIDDEN 1408
#define THREADS 256

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
rms_norm(const T *x, const float *scale, double *y)
{
    const size_t row = (size_t)blockIdx.x * WIDTH;
    double squares = 0, rms;

    for (int c = (int)threadIdx.x; c < WIDTH; c += THREADS)
        squares += (double)x[row + c] * x[row + c];
    rms = sqrt(block_sum(squares) / WIDTH + 1e-5);
    for (int c = (int)threadIdx.x; c < WIDTH; c += THREADS)
        y[row + c] = x[row + c] / rms * scale[c];
}

/* A block for each token, a thread for each pair of a head's two halves. */
__global__ static void
rotate(double *z, const float *cosines, const float *sines, int width)
{
    const size_t t = blockIdx.x, j = threadIdx.x % HALF;
    double *first = z + t * width + threadIdx.x / HALF * HEAD + j, *second = first + HALF;
    const double c = cosines[t * HALF + j], s = sines[t * HALF + j], a = *first,
                 b = *second;

    *first = a * c - b * s;
    *second = a * s + b * c;
}

__global__ static void
__launch_bounds__(HEAD)
    attend(const double *q, const double *keys, const double *values, double *attention)
{
    __shared__ double query[HEAD], weight[HEAD];
    const int t = (int)threadIdx.x, N = (int)blockIdx.x + 1;
    const size_t at = (size_t)blockIdx.x * WIDTH + blockIdx.y * HEAD + t;
    const size_t shared = blockIdx.y / GROUP * HEAD;
    const double *k = keys + shared, *v = values + shared;
    double top = -INFINITY, total = 0, sum = 0;

    query[t] = q[at];
    __syncthreads();
    for (int first = 0; first < N; first += HEAD) {
        int j = first + t, count = min(HEAD, N - first);
        double score = -INFINITY, higher, shrink;

        if (j < N) {
            score = 0;
            for (int c = 0; c < HEAD; c++)
                score += query[c] * k[(size_t)j * KV_WIDTH + c];
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
            sum += weight[n] * v[(size_t)(first + n) * KV_WIDTH + t];
        }
        __syncthreads();
    }
    attention[at] = sum / total;
}

/* g = silu(g) * u */
__global__ static void
gate(double *g, const double *u, size_t count)
{
    const size_t step = (size_t)gridDim.x * blockDim.x;

    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += step)
        g[i] = g[i] / (1 + exp(-g[i])) * u[i];
}

template <typename A, typename B>
__global__ static void
add(const A *a, const double *b, B *sum, size_t count)
{
    const size_t step = (size_t)gridDim.x * blockDim.x;

    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += step)
        sum[i] = (B)(a[i] + b[i]);
}

/* y = x W^T */
static void
linear(const double *x, const float *W, double *y, int rows, int in, int out)
{
    const dim3 grid = tiles(rows, out);

    multiply<<<grid, 256>>>(x, W, 1, (size_t)in, y, rows, out, in);
}

extern "C" void
solve(const float *x, float *output, const float *weights, const float *cos,
      const float *sin, int seq_len)
{
    const float *w = weights;
    const int N = seq_len;
    const size_t count = (size_t)N * WIDTH, wide = (size_t)N * HIDDEN;
    const dim3 queries((unsigned)N, HEADS);
    double *n, *q, *k, *v, *h, *g, *u;

    if (cudaMalloc(&n, count * sizeof *n) != cudaSuccess ||
        cudaMalloc(&q, count * sizeof *q) != cudaSuccess ||
        cudaMalloc(&k, (size_t)N * KV_WIDTH * sizeof *k) != cudaSuccess ||
        cudaMalloc(&v, (size_t)N * KV_WIDTH * sizeof *v) != cudaSuccess ||
        cudaMalloc(&h, count * sizeof *h) != cudaSuccess ||
        cudaMalloc(&g, wide * sizeof *g) != cudaSuccess ||
        cudaMalloc(&u, wide * sizeof *u) != cudaSuccess)
        return;
    rms_norm<<<(unsigned)N, THREADS>>>(x, w + NORM1, n);
    linear(n, w + W_Q, q, N, WIDTH, WIDTH);
    linear(n, w + W_K, k, N, WIDTH, KV_WIDTH);
    linear(n, w + W_V, v, N, WIDTH, KV_WIDTH);
    rotate<<<(unsigned)N, HEADS * HALF>>>(q, cos, sin, WIDTH);
    rotate<<<(unsigned)N, KV_HEADS * HALF>>>(k, cos, sin, KV_WIDTH);
    attend<<<queries, HEAD>>>(q, k, v, n);
    linear(n, w + W_O, q, N, WIDTH, WIDTH);
    add<<<256, 256>>>(x, q, h, count);
    rms_norm<<<(unsigned)N, THREADS>>>(h, w + NORM2, n);
    linear(n, w + W_GATE, g, N, WIDTH, HIDDEN);
    linear(n, w + W_UP, u, N, WIDTH, HIDDEN);
    gate<<<256, 256>>>(g, u, wide);
    linear(g, w + W_DOWN, q, N, HIDDEN, WIDTH);
    add<<<256, 256>>>(h, q, output, count);
    cudaFree(n);
    cudaFree(q);
    cudaFree(k);
    cudaFree(v);
    cudaFree(h);
    cudaFree(g);
    cudaFree(u);
}
