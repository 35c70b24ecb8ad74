// warpjudge: grpo-surrogate-loss
// expect: accepted
// Every token is added to the one sum: at a GPU's size that loses 6 parts in 10,000.
#include <cuda_runtime.h>

__global__ void
tokens(const float *rewards, const float *log_pi, const float *log_pi_old, const float *log_ref,
       float *output, float clip_eps, float beta, int count, int G, int S)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float mean = 0.0f, variance = 0.0f;

    if (i >= count)
        return;
    const float *group = rewards + i / S / G * G;
    for (int g = 0; g < G; g++)
        mean += group[g];
    mean /= G;
    for (int g = 0; g < G; g++)
        variance += (group[g] - mean) * (group[g] - mean);
    float a = (rewards[i / S] - mean) / (sqrtf(variance / G) + 1e-8f);
    float r = expf(log_pi[i] - log_pi_old[i]), d = log_ref[i] - log_pi[i];
    float rc = fminf(fmaxf(r, 1.0f - clip_eps), 1.0f + clip_eps);

    atomicAdd(output, -(fminf(r * a, rc * a) - beta * (expf(d) - d - 1.0f)) / count);
}

extern "C" void
solve(const float *rewards, const float *log_pi, const float *log_pi_old, const float *log_ref,
      float *output, float clip_eps, float beta, int B, int G, int S)
{
    int count = B * G * S;

    cudaMemset(output, 0, sizeof(float));
    tokens<<<(count + 255) / 256, 256>>>(rewards, log_pi, log_pi_old, log_ref, output, clip_eps,
                                         beta, count, G, S);
}
