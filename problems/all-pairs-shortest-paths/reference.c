/* Floyd and Warshall's algorithm in double, rounded once. */
#include <stdlib.h>

void
solve(const float *dist, float *output, int N)
{
    size_t n = (size_t)N;
    double *d = malloc(n * n * sizeof *d);

    if (!d)
        abort();
    for (size_t i = 0; i < n * n; i++)
        d[i] = dist[i];
    for (size_t k = 0; k < n; k++)
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < n; j++) {
                double way = d[i * n + k] + d[k * n + j];

                d[i * n + j] = way < d[i * n + j] ? way : d[i * n + j];
            }
    for (size_t i = 0; i < n * n; i++)
        output[i] = (float)d[i];
    free(d);
}
