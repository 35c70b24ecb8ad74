/* The products in double, each output rounded once. */
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

/* g = silu(g) * u */
__global__ static void
gate(double *g, const double *u, size_t count)
{
    const size_t step = (size_t)gridDim.x * blockDim.x;

    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += step)
        g[i] = g[i] / (1 + exp(-g[i])) * u[i];
}

__global__ static void
narrow(const double *from, float *to, size_t count)
{
    const size_t step = (size_t)gridDim.x * blockDim.x;

    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += step)
        to[i] = (float)from[i];
}

extern "C" void
solve(const float *x, const float *W_gate, const float *W_up, const float *W_down,
      float *output, int M, int d_model, int d_ffn)
{
    const size_t wide = (size_t)M * d_ffn, small = (size_t)M * d_model;
    const dim3 wide_tiles = tiles(M, d_ffn), small_tiles = tiles(M, d_model);
    double *g, *u, *out;

    if (cudaMalloc(&g, wide * sizeof *g) != cudaSuccess ||
        cudaMalloc(&u, wide * sizeof *u) != cudaSuccess ||
        cudaMalloc(&out, small * sizeof *out) != cudaSuccess)
        return;
    multiply<<<wide_tiles, 256>>>(x, W_gate, (size_t)d_ffn, 1, g, M, d_ffn, d_model);
    multiply<<<wide_tiles, 256>>>(x, W_up, (size_t)d_ffn, 1, u, M, d_ffn, d_model);
    gate<<<1024, 256>>>(g, u, wide);
    multiply<<<small_tiles, 256>>>(g, W_down, (size_t)d_model, 1, out, M, d_model, d_ffn);
    narrow<<<1024, 256>>>(out, output, small);
    cudaFree(g);
    cudaFree(u);
    cudaFree(out);
}
