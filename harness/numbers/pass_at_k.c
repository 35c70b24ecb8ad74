#include "numbers/pass_at_k.h"

#include <math.h>

double
pass_at_k(long n, long c, long k)
{
    double none = 1; /* the probability that none of k passes */

    if (n < k || k < 1)
        return (double)NAN;
    if (n - c < k)
        return 1;
    /* C(n - c, k) / C(n, k), a factor at a time, since the binomials are huge. */
    for (long i = n - c + 1; i <= n; i++)
        none *= 1 - (double)k / (double)i;
    return 1 - none;
}
