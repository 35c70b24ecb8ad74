// warpjudge: 2d-fft
// A thread for each frequency adds all terms, with sin and cos for each.
__global__ void
each(const float *signal, float *spectrum, int M, int N)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    double re = 0, im = 0;

    if (i >= M * N)
        return;
    for (int r = 0; r < M; r++)
        for (int c = 0; c < N; c++) {
            double sine, cosine;

            sincospi(-2.0 * ((double)(i / N * r % M) / M + (double)(i % N * c % N) / N), &sine, &cosine);
            re += signal[2 * (r * N + c)] * cosine - signal[2 * (r * N + c) + 1] * sine;
            im += signal[2 * (r * N + c)] * sine + signal[2 * (r * N + c) + 1] * cosine;
        }
    spectrum[2 * i] = re;
    spectrum[2 * i + 1] = im;
}

extern "C" void
solve(const float *signal, float *spectrum, int M, int N)
{
    each<<<(M * N + 255) / 256, 256>>>(signal, spectrum, M, N);
}
