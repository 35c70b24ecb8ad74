// warpjudge: grpo-surrogate-loss
// One thread does everything, in double.
/* Mean and population deviation of one prompt's rewards. */
__device__ void
statistics(const float *rewards, int G, double *mean, double *deviation)
{
    *mean = 0;
    for (int g = 0; g < G; g++)
        *mean += rewards[g];
    *mean /= G;
    *deviation = 0;
    for (int g = 0; g < G; g++)
        *deviation += (rewards[g] - *mean) * (rewards[g] - *mean);
    *deviation = sqrt(*deviation / G);
}

__global__ void
serial(const float *rewards, const float *log_pi, const float *log_pi_old, const float *log_ref,
       float *output, float clip_eps, float beta, int B, int G, int S)
{
    double low = 1 - (double)clip_eps, high = 1 + (double)clip_eps, sum = 0;

    for (long b = 0; b < B; b++) {
        double mean, deviation;

        statistics(rewards + b * G, G, &mean, &deviation);
        for (long g = b * G; g < (b + 1) * G; g++) {
            double a = (rewards[g] - mean) / (deviation + 1e-8);

            for (long i = g * S; i < (g + 1) * S; i++) {
                double r = exp((double)log_pi[i] - log_pi_old[i]);
                double rc = r < low ? low : r > high ? high : r;
                double d = (double)log_ref[i] - log_pi[i];

                sum += fmin(r * a, rc * a) - beta * (exp(d) - d - 1);
            }
        }
    }
    output[0] = (float)(-sum / ((double)B * G * S));
}

extern "C" void
solve(const float *rewards, const float *log_pi, const float *log_pi_old, const float *log_ref,
      float *output, float clip_eps, float beta, int B, int G, int S)
{
    serial<<<1, 1>>>(rewards, log_pi, log_pi_old, log_ref, output, clip_eps, beta, B, G, S);
}
