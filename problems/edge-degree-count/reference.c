/* Counts, exactly. */
#include <string.h>

void
solve(const int *src, const int *dst, int *out_degree, int *in_degree, int E, int V)
{
    memset(out_degree, 0, (size_t)V * sizeof *out_degree);
    memset(in_degree, 0, (size_t)V * sizeof *in_degree);
    for (int e = 0; e < E; e++) {
        out_degree[src[e]]++;
        in_degree[dst[e]]++;
    }
}
