/*
 * Each element in double, rounded once; op() is a pair of strides.
 *
 * A block of 16 x 16 threads makes a tile of 64 x 64, each thread 4 x 4 of it in registers. The
 * slices of op(A) and op(B) become doubles when they are stored in shared memory.
 */
#define TILE 64
#define DEPTH 16 /* of the inner dimension at a time */
#define OWN 4
#define THREADS 256

struct matrix {
    const float *at;
    size_t row, column; /* strides */
};

__global__ static void __launch_bounds__(THREADS)
multiply(matrix A, matrix B, float *C, int M, int N, int K, int ldc, double alpha, double beta)
{
    __shared__ double a[DEPTH][TILE + 1];
    __shared__ double b[DEPTH][TILE + 1];
    const int thread = (int)threadIdx.x, tx = thread % 16, ty = thread / 16;
    const int i0 = (int)blockIdx.x * TILE, j0 = (int)blockIdx.y * TILE;
    double sum[OWN][OWN] = {};

    for (int k0 = 0; k0 < K; k0 += DEPTH) {
        for (int e = thread; e < TILE * DEPTH; e += THREADS) {
            /* neighbours in memory for neighbouring threads, whichever way op() runs */
            int own = A.row == 1 ? e % TILE : e / DEPTH, k = A.row == 1 ? e / TILE : e % DEPTH;
            bool inside = i0 + own < M && k0 + k < K;

            a[k][own] = inside ? A.at[(i0 + own) * A.row + (k0 + k) * A.column] : 0.0f;
        }
        for (int e = thread; e < TILE * DEPTH; e += THREADS) {
            int own = B.row == 1 ? e / DEPTH : e % TILE, k = B.row == 1 ? e % DEPTH : e / TILE;
            bool inside = j0 + own < N && k0 + k < K;

            b[k][own] = inside ? B.at[(k0 + k) * B.row + (j0 + own) * B.column] : 0.0f;
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < DEPTH; k++)
            for (int r = 0; r < OWN; r++)
                for (int c = 0; c < OWN; c++)
                    sum[r][c] += a[k][tx + 16 * r] * b[k][ty + 16 * c];
        __syncthreads();
    }
    for (int r = 0; r < OWN; r++) {
        for (int c = 0; c < OWN; c++) {
            int i = i0 + tx + 16 * r, j = j0 + ty + 16 * c;

            if (i < M && j < N) {
                float *out = &C[(size_t)j * ldc + i];

                *out = (float)(alpha * sum[r][c] + (beta == 0 ? 0 : beta * *out));
            }
        }
    }
}

extern "C" void
solve(const float *A, const float *B, float *C, int M, int N, int K, int lda, int ldb, int ldc,
      int transA, int transB, float alpha, float beta)
{
    matrix a = {A, transA ? (size_t)lda : 1, transA ? 1 : (size_t)lda};
    matrix b = {B, transB ? (size_t)ldb : 1, transB ? 1 : (size_t)ldb};
    dim3 grid((unsigned)(M + TILE - 1) / TILE, (unsigned)(N + TILE - 1) / TILE);

    multiply<<<grid, THREADS>>>(a, b, C, M, N, K, ldc, alpha, beta);
}
