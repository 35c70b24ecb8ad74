/* One factor after the other, sums in double, rounded once at the end. */
#include <stdlib.h>
#include <string.h>

void
solve(const float *input, float *output, int N, int P)
{
    const size_t count = (size_t)N * N;
    double *power = malloc(count * sizeof *power), *next = malloc(count * sizeof *next);

    if (!power || !next)
        abort();
    for (size_t e = 0; e < count; e++)
        power[e] = input[e];
    for (int p = 1; p < P; p++) {
        for (long i = 0; i < N; i++) {
            double *row = next + i * N;

            memset(row, 0, (size_t)N * sizeof *row);
            for (long k = 0; k < N; k++)
                for (long j = 0; j < N; j++)
                    row[j] += power[i * N + k] * input[k * N + j];
        }
        memcpy(power, next, count * sizeof *power);
    }
    for (size_t e = 0; e < count; e++)
        output[e] = (float)power[e];
    free(power);
    free(next);
}
