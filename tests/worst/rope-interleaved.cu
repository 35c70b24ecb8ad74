// warpjudge: rope-interleaved
// One thread does everything, in double.
__global__ void
serial(float *x, const float *cos_table, const float *sin_table, const int *positions, int T,
       int H, int D, int P, int direction)
{
    const long half = D / 2;

    (void)P;
    for (long head = 0; head < (long)T * H; head++) {
        const long row = positions[head / H] * half;

        for (long j = 0; j < half; j++) {
            float *pair = x + 2 * (head * half + j);
            const double c = cos_table[row + j],
                         s = direction * (double)sin_table[row + j];
            const double a = pair[0], b = pair[1];

            pair[0] = (float)(a * c - b * s);
            pair[1] = (float)(a * s + b * c);
        }
    }
}

extern "C" void
solve(float *x, const float *cos_table, const float *sin_table, const int *positions, int T,
      int H, int D, int P, int direction)
{
    serial<<<1, 1>>>(x, cos_table, sin_table, positions, T, H, D, P, direction);
}
