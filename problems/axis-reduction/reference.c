/* In double, rounded once. By rows of the inner axis, a strip of it at a time, so that
 * the results in the making stay in the cache. */
#define STRIP 256

enum { SUM, MAXIMUM, MINIMUM, MEAN };

void
solve(const float *input, float *output, int A, int R, int B, int op)
{
    double result[STRIP];

    for (long a = 0; a < A; a++) {
        for (int first = 0; first < B; first += STRIP) {
            int width = B - first < STRIP ? B - first : STRIP;

            for (long r = 0; r < R; r++) {
                const float *row = input + (a * R + r) * B + first;

                for (int b = 0; b < width; b++) {
                    double v = row[b];

                    if (r == 0)
                        result[b] = v;
                    else if (op == MAXIMUM)
                        result[b] = v > result[b] ? v : result[b];
                    else if (op == MINIMUM)
                        result[b] = v < result[b] ? v : result[b];
                    else
                        result[b] += v;
                }
            }
            for (int b = 0; b < width; b++)
                output[a * B + first + b] =
                    (float)(op == MEAN ? result[b] / R : result[b]);
        }
    }
}
