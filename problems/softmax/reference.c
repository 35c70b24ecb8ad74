/* Softmax over the vector in double, each probability rounded once. */
#include <math.h>

void
solve(const float *input, float *output, int N)
{
    double top = input[0], sum = 0;

    for (int i = 1; i < N; i++)
        top = input[i] > top ? input[i] : top;
    for (int i = 0; i < N; i++)
        sum += exp(input[i] - top);
    for (int i = 0; i < N; i++)
        output[i] = (float)(exp(input[i] - top) / sum);
}
