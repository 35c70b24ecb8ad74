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

__global__ static void
combine(const double *base, const double *low, float *output, double scale, size_t count)
{
    const size_t step = (size_t)gridDim.x * blockDim.x;

    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += step)
        output[i] = (float)(base[i] + scale * low[i]);
}

extern "C" void
solve(const float *x, const float *W, const float *A, const float *B, float *output,
      int batch, int d_in, int d_out, int rank, float lora_scale)
{
    const size_t count = (size_t)batch * d_out;
    const dim3 out_tiles = tiles(batch, d_out), rank_tiles = tiles(batch, rank);
    double *base, *t, *low;

    if (cudaMalloc(&base, count * sizeof *base) != cudaSuccess ||
        cudaMalloc(&low, count * sizeof *low) != cudaSuccess ||
        cudaMalloc(&t, (size_t)batch * rank * sizeof *t) != cudaSuccess)
        return;
    multiply<<<out_tiles, 256>>>(x, W, 1, (size_t)d_in, base, batch, d_out, d_in);
    multiply<<<rank_tiles, 256>>>(x, A, 1, (size_t)d_in, t, batch, rank, d_in);
    multiply<<<out_tiles, 256>>>(t, B, 1, (size_t)rank, low, batch, d_out, rank);
    combine<<<1024, 256>>>(base, low, output, lora_scale, count);
    cudaFree(base);
    cudaFree(low);
    cudaFree(t);
}
