/* x sigmoid(beta x) in double, rounded once. */
#include <math.h>

void
solve(const float *input, float *output, int N, float beta)
{
    for (int i = 0; i < N; i++)
        output[i] = (float)(input[i] / (1 + exp(-(double)beta * input[i])));
}
