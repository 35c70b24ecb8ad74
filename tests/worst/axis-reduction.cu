// warpjudge: axis-reduction
// One thread does everything, in double.
#define STRIP 256

enum { SUM, MAXIMUM, MINIMUM, MEAN };

__global__ void
serial(const float *input, float *output, int A, int R, int B, int op)
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

extern "C" void
solve(const float *input, float *output, int A, int R, int B, int op)
{
    serial<<<1, 1>>>(input, output, A, R, B, op);
}
