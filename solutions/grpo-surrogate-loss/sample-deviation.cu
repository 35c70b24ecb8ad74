// warpjudge: grpo-surrogate-loss
// expect: wrong_answer
// The sample deviation, divided by G - 1, instead of the population deviation.
#include <cuda_runtime.h>

#define THREADS 256

__device__ float
block_sum(float value)
{
    __shared__ float tree[THREADS];
    int t = threadIdx.x;

    tree[t] = value;
    __syncthreads();
    for (int half = THREADS / 2; half > 0; half /= 2) {
        if (t < half)
            tree[t] += tree[t + half];
        __syncthreads();
    }
    return tree[0];
}

__global__ void
answers(const float *rewards, const float *log_pi, const float *log_pi_old, const float *log_ref,
        float *partial, float clip_eps, float beta, int G, int S)
{
    const float *group = rewards + blockIdx.x / G * G;
    size_t at = (size_t)blockIdx.x * S;
    float mean = 0.0f, variance = 0.0f, sum = 0.0f;

    for (int g = 0; g < G; g++)
        mean += group[g];
    mean /= G;
    for (int g = 0; g < G; g++)
        variance += (group[g] - mean) * (group[g] - mean);
    float a = (rewards[blockIdx.x] - mean) / (sqrtf(variance / (G - 1)) + 1e-8f);

    for (int s = threadIdx.x; s < S; s += THREADS) {
        float lp = log_pi[at + s], r = expf(lp - log_pi_old[at + s]), d = log_ref[at + s] - lp;
        float rc = fminf(fmaxf(r, 1.0f - clip_eps), 1.0f + clip_eps);

        sum += fminf(r * a, rc * a) - beta * (expf(d) - d - 1.0f);
    }
    sum = block_sum(sum);
    if (threadIdx.x == 0)
        partial[blockIdx.x] = sum;
}

__global__ void
finish(const float *partial, float *output, int count, int S)
{
    float sum = 0.0f;

    for (int i = threadIdx.x; i < count; i += THREADS)
        sum += partial[i];
    sum = block_sum(sum);
    if (threadIdx.x == 0)
        output[0] = -sum / ((float)count * S);
}

extern "C" void
solve(const float *rewards, const float *log_pi, const float *log_pi_old, const float *log_ref,
      float *output, float clip_eps, float beta, int B, int G, int S)
{
    float *partial;

    cudaMalloc(&partial, B * G * sizeof(float));
    answers<<<B * G, THREADS>>>(rewards, log_pi, log_pi_old, log_ref, partial, clip_eps, beta, G,
                                S);
    finish<<<1, THREADS>>>(partial, output, B * G, S);
    cudaFree(partial);
}
