// warpjudge: ppo-clipped-surrogate-loss
// One thread does everything, in double.
__global__ void
serial(const float *advantages, const float *log_pi, const float *log_pi_old, float *output,
       float clip_eps, int B, int S)
{
    double low = 1 - (double)clip_eps, high = 1 + (double)clip_eps, sum = 0;

    for (long i = 0; i < (long)B * S; i++) {
        double ratio = exp((double)log_pi[i] - log_pi_old[i]);
        double clipped = ratio < low ? low : ratio > high ? high : ratio;

        sum += fmin(ratio * advantages[i], clipped * advantages[i]);
    }
    output[0] = (float)(-sum / ((double)B * S));
}

extern "C" void
solve(const float *advantages, const float *log_pi, const float *log_pi_old, float *output,
      float clip_eps, int B, int S)
{
    serial<<<1, 1>>>(advantages, log_pi, log_pi_old, output, clip_eps, B, S);
}
