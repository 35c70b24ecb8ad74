/*
 * Causal attention in double, each result rounded once. A block takes ROWS rows of one head and
 * goes over the keys in tiles of KEYS with a running maximum and sum, so that no score is ever in
 * global memory. A thread owns one row's slice of the output columns and one row's slice of a
 * tile's keys. All sums are taken in the same order every time.
 */
#include <cuda_fp16.h>

#define ROWS 16
#define KEYS 32
#define LANES 16 /* threads for each row */
#define WIDTH 128
#define OWN (WIDTH / LANES) /* output columns of a thread */

__global__ static void
attend(const half *Q, const half *K, const half *V, half *O, float *LSE, int S, int D)
{
    __shared__ float q[ROWS][WIDTH + 1], k[KEYS][WIDTH + 1]; /* halves: exact as floats */
    __shared__ double p[ROWS][KEYS];
    const unsigned lane = threadIdx.x, r = threadIdx.y, thread = r * LANES + lane;
    const size_t head = (size_t)blockIdx.y * S;
    const int first = (int)blockIdx.x * ROWS, i = first + (int)r;
    double mixed[OWN] = {}, top = -INFINITY, sum = 0;

    for (unsigned e = thread; e < ROWS * (unsigned)D; e += ROWS * LANES) {
        int row = first + (int)(e / D);

        q[e / D][e % D] = row < S ? __half2float(Q[(head + row) * D + e % D]) : 0.0f;
    }
    for (int j0 = 0; j0 < first + ROWS && j0 < S; j0 += KEYS) {
        double tile_top = top, tile_sum = 0;

        __syncthreads(); /* before k and p are written again */
        for (unsigned e = thread; e < KEYS * (unsigned)D; e += ROWS * LANES) {
            int row = j0 + (int)(e / D);

            k[e / D][e % D] = row < S ? __half2float(K[(head + row) * D + e % D]) : 0.0f;
        }
        __syncthreads();
        for (unsigned c = lane; c < KEYS; c += LANES) {
            double s = 0;

            for (int d = 0; d < D; d++)
                s += (double)q[r][d] * k[c][d];
            p[r][c] = j0 + (int)c <= i ? s / sqrt((double)D) : -INFINITY;
        }
        __syncthreads();
        for (int c = 0; c < KEYS; c++)
            tile_top = fmax(tile_top, p[r][c]);
        __syncthreads(); /* before the scores become weights */
        for (unsigned c = lane; c < KEYS; c += LANES)
            p[r][c] = exp(p[r][c] - tile_top);
        __syncthreads();
        for (int c = 0; c < KEYS; c++)
            tile_sum += p[r][c];
        double keep = exp(top - tile_top); /* 0 in the first tile, where top is -infinity */

        for (int o = 0; o < OWN; o++)
            mixed[o] *= keep;
        for (int c = 0; c < KEYS && j0 + c < S; c++)
            for (int o = 0; o < OWN; o++) {
                int d = (int)lane + o * LANES;

                if (d < D)
                    mixed[o] += p[r][c] * (double)__half2float(V[(head + j0 + c) * D + d]);
            }
        sum = sum * keep + tile_sum;
        top = tile_top;
    }
    if (i >= S)
        return;
    for (int o = 0; o < OWN; o++) {
        int d = (int)lane + o * LANES;

        if (d < D)
            O[(head + i) * D + d] = __double2half(mixed[o] / sum);
    }
    if (lane == 0)
        LSE[head + i] = (float)(top + log(sum));
}

extern "C" void
solve(const half *Q, const half *K, const half *V, half *O, float *LSE, int B, int H, int S, int D)
{
    dim3 grid((unsigned)(S + ROWS - 1) / ROWS, (unsigned)(B * H));

    attend<<<grid, dim3(LANES, ROWS)>>>(Q, K, V, O, LSE, S, D);
}
