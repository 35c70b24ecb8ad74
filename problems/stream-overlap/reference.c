/* The sum in double, rounded once; sin(k x) by the recurrence sin((k+1)x) = 2 cos(x)
 * sin(kx) - sin((k-1)x), which loses nothing that matters in 64 steps. */
#include <math.h>

void
solve(const float *input, float *output, int N, int terms)
{
    for (int i = 0; i < N; i++) {
        double x = input[i], twice = 2 * cos(x), last = 0, now = sin(x), sum = 0;

        for (int k = 1; k <= terms; k++) {
            double next = twice * now - last;

            sum += now / k;
            last = now;
            now = next;
        }
        output[i] = (float)sum;
    }
}
