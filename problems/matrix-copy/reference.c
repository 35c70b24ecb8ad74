/* A copy. */
#include <string.h>

void
solve(const float *A, float *B, int N)
{
    memcpy(B, A, (size_t)N * (size_t)N * sizeof *B);
}
