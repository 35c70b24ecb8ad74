// bug: shuffle 11 12
// An index that comes from a lane that has returned.
#include "planted.h"

__global__ void
gather(const int *in, int *out, int n)
{
    int t = threadIdx.x;

    if (t < n) {
        int at = __shfl_down_sync(0xffffffff, t, 4) & 31;
        out[t] = in[at];
    }
}

int
main()
{
    gather<<<1, 32>>>(counted<int>(32), fresh<int>(32), 10);
    return finish();
}
