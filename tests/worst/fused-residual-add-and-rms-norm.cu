// warpjudge: fused-residual-add-and-rms-norm
// One thread does everything, in double.
__global__ void
serial(const float *x, const float *residual, const float *weight, float *out, int N, int C,
       float eps)
{
    for (long i = 0; i < N; i++) {
        double squares = 0, rms;

        for (long j = i * C; j < (i + 1) * C; j++) {
            double z = (double)x[j] + residual[j];

            squares += z * z;
        }
        rms = sqrt(squares / C + eps);
        for (long j = 0; j < C; j++) {
            double z = (double)x[i * C + j] + residual[i * C + j];

            out[i * C + j] = (float)(z / rms * weight[j]);
        }
    }
}

extern "C" void
solve(const float *x, const float *residual, const float *weight, float *out, int N, int C,
      float eps)
{
    serial<<<1, 1>>>(x, residual, weight, out, N, C, eps);
}
