/* C = A B, each element summed in double and rounded once. By rows of B, a strip of
 * columns at a time, so that the sums stay in the cache. */
#include <stdint.h>
#include <string.h>

#define STRIP 256

static double
widen(__nv_bfloat16 x)
{
    uint32_t bits = (uint32_t)x.bits << 16;
    float value;

    memcpy(&value, &bits, sizeof value);
    return value;
}

void
solve(const __nv_bfloat16 *A, const __nv_bfloat16 *B, float *C, int M, int N, int K)
{
    double sum[STRIP];

    for (long i = 0; i < M; i++) {
        for (int first = 0; first < N; first += STRIP) {
            int width = N - first < STRIP ? N - first : STRIP;

            for (int j = 0; j < width; j++)
                sum[j] = 0;
            for (long k = 0; k < K; k++) {
                const double a = widen(A[i * K + k]);
                const __nv_bfloat16 *row = B + k * N + first;

                for (int j = 0; j < width; j++)
                    sum[j] += a * widen(row[j]);
            }
            for (int j = 0; j < width; j++)
                C[i * N + first + j] = (float)sum[j];
        }
    }
}
