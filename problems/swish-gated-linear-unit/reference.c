/* In double, rounded once. */
#include <math.h>

void
solve(const float *input, float *output, int N)
{
    const int half = N / 2;

    for (int i = 0; i < half; i++) {
        const double a = input[i], b = input[i + half];

        output[i] = (float)(b * a / (1 + exp(-a)));
    }
}
