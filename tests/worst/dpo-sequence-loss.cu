// warpjudge: dpo-sequence-loss
// One thread does everything, in double.
__global__ void
serial(const float *chosen_logps, const float *rejected_logps, const float *chosen_ref_logps,
       const float *rejected_ref_logps, float *output, float beta, int B)
{
    double sum = 0;

    for (int i = 0; i < B; i++) {
        double policy = (double)chosen_logps[i] - rejected_logps[i];
        double reference = (double)chosen_ref_logps[i] - rejected_ref_logps[i];
        double z = beta * (policy - reference);

        sum += fmax(-z, 0) + log1p(exp(-fabs(z)));
    }
    output[0] = (float)(sum / B);
}

extern "C" void
solve(const float *chosen_logps, const float *rejected_logps, const float *chosen_ref_logps,
      const float *rejected_ref_logps, float *output, float beta, int B)
{
    serial<<<1, 1>>>(chosen_logps, rejected_logps, chosen_ref_logps, rejected_ref_logps, output,
                     beta, B);
}
