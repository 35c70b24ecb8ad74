// bug: unwritten 19
// A member that nobody wrote is no padding, though the structures repeat it.
#include "planted.h"

struct item {
    double value;
    int tag;
};

__global__ void
values_only(item *p)
{
    p[threadIdx.x].value = threadIdx.x;
}

__global__ void
copy(item *to, const item *from)
{
    to[threadIdx.x] = from[threadIdx.x];
}

int
main()
{
    item *p = fresh<item>(64);

    values_only<<<1, 64>>>(p);
    copy<<<1, 64>>>(fresh<item>(64), p);
    return finish();
}
