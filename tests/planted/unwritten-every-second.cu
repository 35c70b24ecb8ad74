// bug: unwritten 15
// Every second element was forgotten, and the next kernel only copies.
#include "planted.h"

__global__ void
even(float *p)
{
    if (threadIdx.x % 2 == 0)
        p[threadIdx.x] = 1;
}

__global__ void
copy(float *out, const float *in)
{
    out[threadIdx.x] = in[threadIdx.x];
}

int
main()
{
    float *p = fresh<float>(64);

    even<<<1, 64>>>(p);
    copy<<<1, 64>>>(fresh<float>(64), p);
    return finish();
}
