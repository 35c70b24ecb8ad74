/* In double, rounded once; 1 + erf(x) is taken as erfc(-x), which does not cancel. */
#include <math.h>

void
solve(const float *input, float *output, int N)
{
    const int half = N / 2;

    for (int i = 0; i < half; i++) {
        const double a = input[i], b = input[i + half];

        output[i] = (float)(a * b / 2 * erfc(-b / sqrt(2.0)));
    }
}
