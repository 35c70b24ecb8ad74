#include "plain.h"

void
plain_add(const float *a, const float *b, float *c, size_t n)
{
    for (size_t i = 0; i < n; i++)
        c[i] = a[i] + b[i];
}

void
plain_matmul(const float *a, const float *b, float *c, size_t n)
{
    for (size_t row = 0; row < n; row++)
        for (size_t col = 0; col < n; col++) {
            float sum = 0.0f;

            for (size_t k = 0; k < n; k++)
                sum += a[row * n + k] * b[k * n + col];
            c[row * n + col] = sum;
        }
}

enum { TILE = 16 };

void
plain_matmul_tiled(const float *a, const float *b, float *c, size_t n)
{
    float at[TILE][TILE], bt[TILE][TILE], sum[TILE][TILE];

    for (size_t row = 0; row < n; row += TILE)
        for (size_t col = 0; col < n; col += TILE) {
            for (size_t y = 0; y < TILE; y++)
                for (size_t x = 0; x < TILE; x++)
                    sum[y][x] = 0.0f;
            for (size_t t = 0; t < n; t += TILE) {
                for (size_t y = 0; y < TILE; y++)
                    for (size_t x = 0; x < TILE; x++) {
                        at[y][x] = a[(row + y) * n + t + x];
                        bt[y][x] = b[(t + y) * n + col + x];
                    }
                for (size_t y = 0; y < TILE; y++)
                    for (size_t x = 0; x < TILE; x++)
                        for (size_t k = 0; k < TILE; k++)
                            sum[y][x] += at[y][k] * bt[k][x];
            }
            for (size_t y = 0; y < TILE; y++)
                for (size_t x = 0; x < TILE; x++)
                    c[(row + y) * n + col + x] = sum[y][x];
        }
}

void
plain_block_sums(const float *in, float *sums, size_t n)
{
    for (size_t block = 0; block < n / 256; block++) {
        float sum = 0.0f;

        for (size_t i = 0; i < 256; i++)
            sum += in[block * 256 + i];
        sums[block] = sum;
    }
}
