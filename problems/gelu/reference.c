/* x Phi(x) in double, rounded once. erfc keeps the digits of the negative tail. */
#include <math.h>

void
solve(const float *input, float *output, int N)
{
    for (int i = 0; i < N; i++)
        output[i] = (float)(0.5 * input[i] * erfc(-input[i] * 0.70710678118654752440));
}
