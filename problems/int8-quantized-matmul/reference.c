/* Exact sums; then the float operations in the order of the statement, each rounded. By
 * rows of B, a strip of columns at a time, so that the sums stay in the cache. */
#include <math.h>
#include <stdint.h>

#define STRIP 256

void
solve(const int8_t *A, const int8_t *B, int8_t *C, int M, int N, int K, float scale_A,
      float scale_B, float scale_C, int zero_point_A, int zero_point_B, int zero_point_C)
{
    int32_t sum[STRIP];

    for (long i = 0; i < M; i++) {
        for (int first = 0; first < N; first += STRIP) {
            int width = N - first < STRIP ? N - first : STRIP;

            for (int j = 0; j < width; j++)
                sum[j] = 0;
            for (long t = 0; t < K; t++) {
                const int a = A[i * K + t] - zero_point_A;
                const int8_t *row = B + t * N + first;

                for (int j = 0; j < width; j++)
                    sum[j] += a * (row[j] - zero_point_B);
            }
            for (int j = 0; j < width; j++) {
                float v = (float)sum[j] * scale_A * scale_B / scale_C;
                float q = rintf(v) + (float)zero_point_C;

                C[i * N + first + j] = (int8_t)(q < -128 ? -128 : q > 127 ? 127 : q);
            }
        }
    }
}
