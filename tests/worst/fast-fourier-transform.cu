// warpjudge: fast-fourier-transform
// A thread for each frequency adds all terms, with sin and cos for each.
__global__ void
each(const float *signal, float *spectrum, int N)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    double re = 0, im = 0;

    if (i >= N)
        return;
    for (int k = 0; k < N; k++) {
        double angle = -2.0 * (double)((long long)i * k % N) / N, s, c;

        sincospi(angle, &s, &c);
        re += signal[2 * k] * c - signal[2 * k + 1] * s;
        im += signal[2 * k] * s + signal[2 * k + 1] * c;
    }
    spectrum[2 * i] = re;
    spectrum[2 * i + 1] = im;
}

extern "C" void
solve(const float *signal, float *spectrum, int N)
{
    each<<<(N + 255) / 256, 256>>>(signal, spectrum, N);
}
