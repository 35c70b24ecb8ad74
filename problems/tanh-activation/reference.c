/* tanh in double, rounded once. */
#include <math.h>

void
solve(const float *input, float *output, int N)
{
    for (int i = 0; i < N; i++)
        output[i] = (float)tanh(input[i]);
}
