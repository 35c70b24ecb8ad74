/* Sums in double by tiles, rounded once; operands are decoded (exactly) as they are loaded, and
 * each thread makes 4 x 4 of a tile. */
#include <cuda_fp16.h>
#include <stdint.h>

#define TILE 64
#define DEPTH 16 /* one scale block */
#define OWN 4

__device__ static float
e4m3(uint8_t byte)
{
    int exponent = byte >> 3 & 15, mantissa = byte & 7;

    return exponent ? ldexpf((float)(8 + mantissa), exponent - 10) : ldexpf((float)mantissa, -9);
}

__device__ static float
e2m1(unsigned code)
{
    const unsigned doubled = 0xc8643210u; /* 0 1 2 3 4 6 8 12 from the lowest nibble up */
    float magnitude = 0.5f * (float)(doubled >> 4 * (code & 7) & 15);

    return code & 8 ? -magnitude : magnitude;
}

/* Rows `first`... of block `b` into tile[element][row]; 4 threads a row, 2 bytes each. */
__device__ static void
load(float tile[DEPTH][TILE + 1], const uint8_t *codes, const uint8_t *scales, int first, int rows,
     int b, int blocks)
{
    const int i = (int)threadIdx.x / 4, part = (int)threadIdx.x % 4;
    const bool inside = first + i < rows;
    const size_t at = (size_t)(first + i) * blocks + b;
    const float scale = inside ? e4m3(scales[at]) : 0.0f;

    for (int j = 2 * part; j < 2 * part + 2; j++) {
        unsigned pair = inside ? codes[8 * at + j] : 0;

        tile[2 * j][i] = scale * e2m1(pair & 15);
        tile[2 * j + 1][i] = scale * e2m1(pair >> 4);
    }
}

__global__ static void
product(const uint8_t *a, const uint8_t *b, const uint8_t *sfa, const uint8_t *sfb, half *c, int M,
        int N, int blocks, double alpha)
{
    __shared__ float x[DEPTH][TILE + 1], y[DEPTH][TILE + 1];
    const int t = (int)threadIdx.x, tx = t % 16, ty = t / 16;
    const int row0 = (int)blockIdx.y * TILE, column0 = (int)blockIdx.x * TILE;
    double sum[OWN][OWN] = {};

    for (int k = 0; k < blocks; k++) {
        load(x, a, sfa, row0, M, k, blocks);
        load(y, b, sfb, column0, N, k, blocks);
        __syncthreads();
        for (int e = 0; e < DEPTH; e++)
            for (int r = 0; r < OWN; r++)
                for (int q = 0; q < OWN; q++)
                    sum[r][q] += (double)x[e][ty + 16 * r] * y[e][tx + 16 * q];
        __syncthreads();
    }
    for (int r = 0; r < OWN; r++)
        for (int q = 0; q < OWN; q++) {
            int m = row0 + ty + 16 * r, n = column0 + tx + 16 * q;

            if (m < M && n < N)
                c[(size_t)m * N + n] = __float2half_rn((float)(alpha * sum[r][q]));
        }
}

extern "C" void
solve(const uint8_t *a, const uint8_t *b, const uint8_t *sfa, const uint8_t *sfb, half *c, int M,
      int N, int K, float alpha)
{
    dim3 grid((unsigned)(N + TILE - 1) / TILE, (unsigned)(M + TILE - 1) / TILE);

    product<<<grid, 256>>>(a, b, sfa, sfb, c, M, N, K / 16, alpha);
}
