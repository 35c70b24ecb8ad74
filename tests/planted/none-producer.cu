// bug: none
// One warp arrives at a barrier, another waits there for its values.
#include "planted.h"

__global__ void
pass(const int *in, int *out)
{
    __shared__ int s[32];
    int t = threadIdx.x;

    if (t < 32) {
        s[t] = in[t];
        asm volatile("barrier.arrive 1, 64;" ::: "memory");
    } else {
        asm volatile("barrier.sync 1, 64;" ::: "memory");
        out[t - 32] = s[63 - t];
    }
}

int
main()
{
    pass<<<1, 64>>>(counted<int>(32), fresh<int>(32));
    return finish();
}
