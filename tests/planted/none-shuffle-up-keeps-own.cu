// bug: none
// A scan by shuffles in a warp whose upper lanes have returned: those below lane d keep their
// own value, and nobody reads upwards.
#include "planted.h"

__global__ void
scan(const int *in, int *out, int n)
{
    int i = threadIdx.x;

    if (i >= n)
        return;
    int v = in[i];
    for (int d = 1; d < 32; d *= 2) {
        int before = __shfl_up_sync(0xffffffff, v, d);

        if (i >= d)
            v += before;
    }
    out[i] = v;
}

int
main()
{
    scan<<<1, 32>>>(counted<int>(20), fresh<int>(20), 20);
    return finish();
}
