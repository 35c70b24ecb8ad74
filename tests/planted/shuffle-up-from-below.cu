// bug: shuffle 11 11
// The upper half reads from the lower one, which is not in the mask.
#include "planted.h"

__global__ void
shift(const double *in, double *out)
{
    int t = threadIdx.x;

    if (t >= 8)
        out[t] = __shfl_up_sync(0xffffff00, in[t], 8) +
                 in[t];
}

int
main()
{
    shift<<<1, 32>>>(counted<double>(32), fresh<double>(32));
    return finish();
}
