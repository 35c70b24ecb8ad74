// bug: none
// The largest element and its place, by pairs of shuffles in a block of 20 threads: a lane
// compares only with lanes that are there.
#include "planted.h"

__global__ void
largest(const float *in, float *out, int *place)
{
    int t = threadIdx.x, n = blockDim.x, at = t;
    unsigned all = (1u << n) - 1;
    float v = in[t];

    for (int d = 16; d > 0; d /= 2) {
        float other = __shfl_down_sync(all, v, d);
        int other_at = __shfl_down_sync(all, at, d);
        bool takes = t + d < n;

        takes = takes & (other > v);
        v = takes ? other : v;
        at = takes ? other_at : at;
    }
    if (t == 0) {
        *out = v;
        *place = at;
    }
}

int
main()
{
    largest<<<1, 20>>>(counted<float>(20), fresh<float>(1), fresh<int>(1));
    return finish();
}
