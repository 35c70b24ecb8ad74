// warpjudge: group-normalization
// One thread does everything, in double.
__global__ void
serial(const float *X, const float *gamma, const float *beta, float *Y, int N, int C, int H,
       int W, int G, float eps)
{
    const long area = (long)H * W, channels = C / G, count = channels * area;

    for (long group = 0; group < (long)N * G; group++) {
        const float *x = X + group * count;
        const long first = group % G * channels;
        double sum = 0, squares = 0, mean, scale;

        for (long i = 0; i < count; i++)
            sum += x[i];
        mean = sum / (double)count;
        for (long i = 0; i < count; i++)
            squares += (x[i] - mean) * (x[i] - mean);
        scale = 1 / sqrt(squares / (double)count + eps);
        for (long i = 0; i < count; i++) {
            long c = first + i / area;

            Y[group * count + i] = (float)(gamma[c] * (x[i] - mean) * scale + beta[c]);
        }
    }
}

extern "C" void
solve(const float *X, const float *gamma, const float *beta, float *Y, int N, int C, int H,
      int W, int G, float eps)
{
    serial<<<1, 1>>>(X, gamma, beta, Y, N, C, H, W, G, eps);
}
