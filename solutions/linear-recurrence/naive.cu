// warpjudge: linear-recurrence
// expect: accepted
// A warp for each sequence. It takes 32 steps at a time, joins them by a scan over the lanes, and
// carries the last state to the next 32.
#include <cuda_runtime.h>

__global__ void
recur(const float *a, const float *x, float *h, int L)
{
    size_t row = (size_t)blockIdx.x * L;
    int lane = threadIdx.x;
    float state = 0.0f;

    for (int t0 = 0; t0 < L; t0 += 32) {
        int t = t0 + lane;
        float m = t > 0 && t < L ? a[row + t] : 0.0f, c = t < L ? x[row + t] : 0.0f;

        for (int step = 1; step < 32; step *= 2) {
            float before_m = __shfl_up_sync(0xFFFFFFFFu, m, step);
            float before_c = __shfl_up_sync(0xFFFFFFFFu, c, step);

            if (lane >= step) {
                c += m * before_c;
                m *= before_m;
            }
        }
        c += m * state;
        if (t < L)
            h[row + t] = c;
        state = __shfl_sync(0xFFFFFFFFu, c, 31);
    }
}

extern "C" void
solve(const float *a, const float *x, float *h, int B, int L)
{
    recur<<<B, 32>>>(a, x, h, L);
}
