// bug: shuffle 11 13
// Reads lane 20 with a mask of the lower half: a branch depends on it.
#include "planted.h"

__global__ void
compare(const int *in, int *out)
{
    int t = threadIdx.x, v = in[t];

    if (t < 16) {
        int far = __shfl_sync(0xffff, v, 20);

        if (far > v)
            out[t] = 1;
    }
}

int
main()
{
    compare<<<1, 32>>>(counted<int>(32), zeros<int>(32));
    return finish();
}
