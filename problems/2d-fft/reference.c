/* Rows, then columns, in double; each part is rounded once at the end. A transform goes
 * by halves as long as its length is even, by the sum itself where it is odd. */
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

/* All `count` transforms of length N: the elements of one are `stride` apart, and the
 * next begins `next` further. */
static void
along(double complex *x, long count, long next, long N, long stride)
{
    size_t n = (size_t)N;
    double complex *in = malloc(4 * n * sizeof *in), *out = in + n, *room = out + n;
    double complex *root = room + n;

    if (!in)
        abort();
    for (long j = 0; j < N; j++) {
        double angle = -2 * acos(-1) * (double)j / (double)N;

        root[j] = cos(angle) + I * sin(angle);
    }
    for (long c = 0; c < count; c++) {
        for (long j = 0; j < N; j++)
            in[j] = x[c * next + j * stride];
        transform(in, out, room, root, N, 1);
        for (long j = 0; j < N; j++)
            x[c * next + j * stride] = out[j];
    }
    free(in);
}

void
solve(const float *signal, float *spectrum, int M, int N)
{
    size_t count = (size_t)M * (size_t)N;
    double complex *x = malloc(count * sizeof *x);

    if (!x)
        abort();
    for (size_t j = 0; j < count; j++)
        x[j] = signal[2 * j] + I * signal[2 * j + 1];
    along(x, M, N, N, 1);
    along(x, N, 1, M, N);
    for (size_t j = 0; j < count; j++) {
        spectrum[2 * j] = (float)creal(x[j]);
        spectrum[2 * j + 1] = (float)cimag(x[j]);
    }
    free(x);
}
