/*
 * In double, each result rounded once. One kernel makes dQ: a block takes ROWS queries of a head and
 * goes over the keys in tiles of ROWS. Another makes dK and dV: a block takes ROWS keys and goes over
 * the queries. Threads are LANES for each of the block's rows: first each computes pairs of its row
 * with the tile's rows, then each owns columns of its row's gradients. All sums are taken in the same
 * order every time.
 */
#include <cuda_fp16.h>

#define ROWS 16
#define LANES 16
#define WIDTH 128
#define OWN (WIDTH / LANES) /* columns of a thread */

struct rows {
    float value[ROWS][WIDTH + 1]; /* halves: exact as floats */
};

/* Rows `first` and following of a head's S x D; rows behind the last are 0. */
__device__ static void
load(rows *to, const half *from, int first, int S, int D)
{
    for (int e = (int)(threadIdx.y * LANES + threadIdx.x); e < ROWS * D; e += ROWS * LANES)
        to->value[e / D][e % D] = first + e / D < S ? __half2float(from[(size_t)(first + e / D) * D + e % D]) : 0.0f;
}

__device__ static double
dot(const float *a, const float *b, int D)
{
    double sum = 0;

    for (int d = 0; d < D; d++)
        sum += (double)a[d] * b[d];
    return sum;
}

__global__ static void
row_sums(const half *O, const half *dO, double *delta, size_t rows, int D)
{
    size_t row = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    double sum = 0;

    for (int d = 0; row < rows && d < D; d++)
        sum += (double)__half2float(dO[row * D + d]) * (double)__half2float(O[row * D + d]);
    if (row < rows)
        delta[row] = sum;
}

__global__ static void
of_queries(const half *Q, const half *K, const half *V, const float *LSE, const half *dO, const double *delta, half *dQ,
           int S, int D)
{
    extern __shared__ rows tile[]; /* Q, dO, K, V */
    __shared__ double z[ROWS][ROWS];
    const int lane = (int)threadIdx.x, r = (int)threadIdx.y, first = (int)blockIdx.x * ROWS, i = first + r;
    const size_t rows_before = (size_t)blockIdx.y * S, head = rows_before * D;
    const double c = 1 / sqrt((double)D);
    double sum[OWN] = {};

    load(&tile[0], Q + head, first, S, D);
    load(&tile[1], dO + head, first, S, D);
    for (int j0 = 0; j0 <= first; j0 += ROWS) {
        int j = j0 + lane;

        __syncthreads(); /* before the tiles and z are written again */
        load(&tile[2], K + head, j0, S, D);
        load(&tile[3], V + head, j0, S, D);
        __syncthreads();
        z[r][lane] = 0;
        if (j <= i && i < S)
            z[r][lane] = exp(c * dot(tile[0].value[r], tile[2].value[lane], D) - LSE[rows_before + i]) *
                         (dot(tile[1].value[r], tile[3].value[lane], D) - delta[rows_before + i]);
        __syncthreads();
        for (int k = 0; k < ROWS; k++)
            for (int o = 0; o < OWN; o++)
                if (lane + LANES * o < D)
                    sum[o] += z[r][k] * tile[2].value[k][lane + LANES * o];
    }
    for (int o = 0; o < OWN; o++)
        if (i < S && lane + LANES * o < D)
            dQ[head + (size_t)i * D + lane + LANES * o] = __double2half(c * sum[o]);
}

__global__ static void
of_keys(const half *Q, const half *K, const half *V, const float *LSE, const half *dO, const double *delta, half *dK,
        half *dV, int S, int D)
{
    extern __shared__ rows tile[]; /* K, V, Q, dO */
    __shared__ double p[ROWS][ROWS], z[ROWS][ROWS];
    const int lane = (int)threadIdx.x, r = (int)threadIdx.y, first = (int)blockIdx.x * ROWS, j = first + r;
    const size_t rows_before = (size_t)blockIdx.y * S, head = rows_before * D;
    const double c = 1 / sqrt((double)D);
    double sum_k[OWN] = {}, sum_v[OWN] = {};

    load(&tile[0], K + head, first, S, D);
    load(&tile[1], V + head, first, S, D);
    for (int i0 = first; i0 < S; i0 += ROWS) {
        int i = i0 + lane;

        __syncthreads(); /* before the tiles, p and z are written again */
        load(&tile[2], Q + head, i0, S, D);
        load(&tile[3], dO + head, i0, S, D);
        __syncthreads();
        p[r][lane] = z[r][lane] = 0;
        if (j <= i && i < S) {
            p[r][lane] = exp(c * dot(tile[2].value[lane], tile[0].value[r], D) - LSE[rows_before + i]);
            z[r][lane] = p[r][lane] * (dot(tile[3].value[lane], tile[1].value[r], D) - delta[rows_before + i]);
        }
        __syncthreads();
        for (int k = 0; k < ROWS; k++)
            for (int o = 0; o < OWN; o++)
                if (lane + LANES * o < D) {
                    sum_k[o] += z[r][k] * tile[2].value[k][lane + LANES * o];
                    sum_v[o] += p[r][k] * tile[3].value[k][lane + LANES * o];
                }
    }
    for (int o = 0; o < OWN; o++)
        if (j < S && lane + LANES * o < D) {
            dK[head + (size_t)j * D + lane + LANES * o] = __double2half(c * sum_k[o]);
            dV[head + (size_t)j * D + lane + LANES * o] = __double2half(sum_v[o]);
        }
}

extern "C" void
solve(const half *Q, const half *K, const half *V, const half *O, const float *LSE, const half *dO, half *dQ, half *dK,
      half *dV, int B, int H, int S, int D)
{
    dim3 grid((unsigned)(S + ROWS - 1) / ROWS, (unsigned)(B * H)), block(LANES, ROWS);
    size_t row_count = (size_t)B * H * S;
    double *delta;

    if (cudaMalloc(&delta, row_count * sizeof *delta) != cudaSuccess)
        return;
    row_sums<<<(unsigned)((row_count + 127) / 128), 128>>>(O, dO, delta, row_count, D);
    of_queries<<<grid, block, 4 * sizeof(rows)>>>(Q, K, V, LSE, dO, delta, dQ, S, D);
    of_keys<<<grid, block, 4 * sizeof(rows)>>>(Q, K, V, LSE, dO, delta, dK, dV, S, D);
    cudaFree(delta);
}
