// bug: unwritten 15
// One element was forgotten, and the next kernel only copies.
#include "planted.h"

__global__ void
all_but_one(float *p)
{
    if (threadIdx.x < 63)
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

    all_but_one<<<1, 64>>>(p);
    copy<<<1, 64>>>(fresh<float>(64), p);
    return finish();
}
