/* Sums in double of a group's products with whole weights, each times its scale; rounded
 * once. */
#include <stdint.h>

void
solve(const _Float16 *x, const uint8_t *w_q, const _Float16 *scales, _Float16 *y, int M,
      int N, int K, int group_size)
{
    for (long m = 0; m < M; m++)
        for (long n = 0; n < N; n++) {
            const _Float16 *row = x + m * K;
            const uint8_t *bytes = w_q + n * (K / 2);
            double sum = 0;

            for (int first = 0; first < K; first += group_size) {
                double part = 0;

                for (int k = first; k < first + group_size; k += 2) {
                    part += (double)row[k] * ((bytes[k / 2] >> 4) - 8);
                    part += (double)row[k + 1] * ((bytes[k / 2] & 15) - 8);
                }
                sum += part * (double)scales[n * (K / group_size) + first / group_size];
            }
            y[m * N + n] = (_Float16)sum;
        }
}
