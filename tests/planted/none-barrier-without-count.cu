// bug: none
// Two warps wait at a barrier of all threads, the others only arrive there, and name the count.
#include "planted.h"

__global__ void
collect(const int *in, int *out)
{
    __shared__ int s[128];
    int t = threadIdx.x;

    s[t] = in[t];
    if (t < 64) {
        asm volatile("barrier.sync 6;" ::: "memory");
        out[t] = s[127 - t] + s[63 - t];
    } else {
        asm volatile("barrier.arrive 6, 128;" ::: "memory");
    }
}

int
main()
{
    collect<<<1, 128>>>(counted<int>(128), fresh<int>(64));
    return finish();
}
