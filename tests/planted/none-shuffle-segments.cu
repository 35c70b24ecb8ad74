// bug: none
// Sums of runs with equal keys: a lane reads beyond the active ones and adds only what has its
// key. The sums of all but the first lane of a run are dropped.
#include "planted.h"

__global__ void
runs(const int *key, const float *in, float *out, int n)
{
    int t = threadIdx.x;
    unsigned active = __ballot_sync(0xffffffff, t < n);

    if (t < n) {
        int k = key[t] / 8;
        float v = in[t];

        for (int d = 1; d < 8; d *= 2) {
            float other = __shfl_down_sync(active, v, d);
            int other_key = __shfl_down_sync(active, k, d);

            v += (t + d < n) & (other_key == k) ? other : 0;
        }
        if (t % 8 == 0)
            out[k] = v;
    }
}

int
main()
{
    runs<<<1, 32>>>(counted<int>(32), counted<float>(32), fresh<float>(4), 27);
    return finish();
}
