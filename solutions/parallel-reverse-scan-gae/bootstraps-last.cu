// warpjudge: parallel-reverse-scan-gae
// expect: wrong_answer
// One thread for each episode; after the last step it takes the last value again instead of 0, as
// if the episode went on.
#include <cuda_runtime.h>

__global__ void
scan(const float *rewards, const float *values, float *advantages, float gamma, float decay, int B,
     int S)
{
    int b = blockIdx.x * blockDim.x + threadIdx.x;
    float advantage = 0.0f;

    if (b >= B)
        return;
    for (int t = S - 1; t >= 0; t--) {
        size_t i = (size_t)b * S + t;
        float next = t + 1 < S ? values[i + 1] : values[i];

        advantage = rewards[i] + gamma * next - values[i] + decay * advantage;
        advantages[i] = advantage;
    }
}

extern "C" void
solve(const float *rewards, const float *values, float *advantages, float gamma, float lam, int B,
      int S)
{
    scan<<<(B + 31) / 32, 32>>>(rewards, values, advantages, gamma, gamma * lam, B, S);
}
