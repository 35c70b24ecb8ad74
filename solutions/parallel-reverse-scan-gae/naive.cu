// warpjudge: parallel-reverse-scan-gae
// expect: accepted
// A warp for each episode takes 32 steps at a time from the end. The factor is the same at every
// step, so joining two neighbouring stretches of lanes needs a power of it only.
#include <cuda_runtime.h>

__global__ void
scan(const float *rewards, const float *values, float *advantages, float gamma, float decay, int S)
{
    size_t row = (size_t)blockIdx.x * S;
    int lane = threadIdx.x;
    float carry = 0.0f; // the advantage of the step behind the 32

    for (int end = S; end > 0; end -= 32) {
        int t = end - 1 - lane; // lane 0 has the last step
        float sum = 0.0f, power = decay, far = 1.0f;

        if (t >= 0)
            sum = rewards[row + t] + (t + 1 < S ? gamma * values[row + t + 1] : 0.0f) -
                  values[row + t];
        for (int step = 1; step < 32; step *= 2) {
            float behind = __shfl_up_sync(0xFFFFFFFFu, sum, step);

            if (lane >= step)
                sum += power * behind;
            power *= power;
        }
        for (int k = 0; k <= lane; k++)
            far *= decay;
        sum += far * carry;
        if (t >= 0)
            advantages[row + t] = sum;
        carry = __shfl_sync(0xFFFFFFFFu, sum, 31);
    }
}

extern "C" void
solve(const float *rewards, const float *values, float *advantages, float gamma, float lam, int B,
      int S)
{
    scan<<<B, 32>>>(rewards, values, advantages, gamma, gamma * lam, S);
}
