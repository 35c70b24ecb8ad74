// warpjudge: rotary-positional-embedding
// One thread does everything, in double.
__global__ void
serial(const float *Q, const float *cos, const float *sin, float *output, int M, int D)
{
    const long h = D / 2;

    for (long row = 0; row < (long)M * D; row += D) {
        for (long i = row; i < row + D; i++) {
            double partner = i < row + h ? -(double)Q[i + h] : (double)Q[i - h];

            output[i] = (float)((double)Q[i] * cos[i] + partner * sin[i]);
        }
    }
}

extern "C" void
solve(const float *Q, const float *cos, const float *sin, float *output, int M, int D)
{
    serial<<<1, 1>>>(Q, cos, sin, output, M, D);
}
