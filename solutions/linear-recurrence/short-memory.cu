// warpjudge: linear-recurrence
// expect: wrong_answer
// One thread for each state looks back 32 steps and takes what came before for forgotten: right as
// long as a is much smaller than 1.
#include <cuda_runtime.h>

__global__ void
recur(const float *a, const float *x, float *h, int B, int L)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, t = i % L;
    float state = 0.0f;

    if (i >= B * L)
        return;
    for (int s = max(0, t - 31); s <= t; s++)
        state = (s > 0 ? a[i - t + s] : 0.0f) * state + x[i - t + s];
    h[i] = state;
}

extern "C" void
solve(const float *a, const float *x, float *h, int B, int L)
{
    recur<<<(B * L + 255) / 256, 256>>>(a, x, h, B, L);
}
