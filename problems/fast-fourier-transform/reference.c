/* In double, each part rounded once: by halves as long as a length is even, by the sum
 * itself where it is odd. Angles are taken of the index modulo N. */
#include <complex.h>
#include <math.h>
#include <stdlib.h>

/* out[k] = sum over n of in[n * step] * root[k * n * step mod N], k = 0..count-1; root[j]
 * is exp(-2 pi i j / N), and N = count * step. `room` is as long as out. */
static void
transform(const double complex *in, double complex *out, double complex *room,
          const double complex *root, long count, long step)
{
    long half = count / 2;

    if (count % 2) {
        for (long k = 0; k < count; k++) {
            out[k] = 0;
            for (long n = 0; n < count; n++)
                out[k] += in[n * step] * root[k * n % count * step];
        }
        return;
    }
    transform(in, room, out, root, half, 2 * step);
    transform(in + step, room + half, out, root, half, 2 * step);
    for (long k = 0; k < half; k++) {
        double complex odd = room[half + k] * root[k * step];

        out[k] = room[k] + odd;
        out[half + k] = room[k] - odd;
    }
}

void
solve(const float *signal, float *spectrum, int N)
{
    size_t n = (size_t)N;
    double complex *in = malloc(4 * n * sizeof *in), *out = in + n, *room = out + n;
    double complex *root = room + n;

    if (!in)
        abort();
    for (size_t j = 0; j < n; j++) {
        double angle = -2 * acos(-1) * (double)j / N;

        in[j] = signal[2 * j] + I * signal[2 * j + 1];
        root[j] = cos(angle) + I * sin(angle);
    }
    transform(in, out, room, root, N, 1);
    for (size_t k = 0; k < n; k++) {
        spectrum[2 * k] = (float)creal(out[k]);
        spectrum[2 * k + 1] = (float)cimag(out[k]);
    }
    free(in);
}
