// warpjudge: dyt
// One thread does everything, in double.
__global__ void
serial(const float *input, const float *gamma, const float *beta, float *output, int N, int C,
       float alpha)
{
    for (long n = 0; n < N; n++) {
        for (long c = 0; c < C; c++) {
            double bent = tanh((double)alpha * input[n * C + c]);

            output[n * C + c] = (float)(gamma[c] * bent + beta[c]);
        }
    }
}

extern "C" void
solve(const float *input, const float *gamma, const float *beta, float *output, int N, int C,
      float alpha)
{
    serial<<<1, 1>>>(input, gamma, beta, output, N, C, alpha);
}
