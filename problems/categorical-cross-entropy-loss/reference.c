/* Each sample's loss and their mean in double, rounded once. */
#include <math.h>

void
solve(const float *logits, const int *true_labels, float *loss, int N, int C)
{
    double total = 0;

    for (long j = 0; j < N; j++) {
        const float *z = logits + j * C;
        double top = z[0], sum = 0;

        for (int c = 1; c < C; c++)
            top = z[c] > top ? z[c] : top;
        for (int c = 0; c < C; c++)
            sum += exp(z[c] - top);
        total += top + log(sum) - z[true_labels[j]];
    }
    loss[0] = (float)(total / N);
}
