// bug: none
// A structure with padding at its end is moved by a load of sixteen bytes.
#include "planted.h"

struct pair {
    double value;
    int index;
};

__global__ void
set(pair *all)
{
    all[threadIdx.x].value = threadIdx.x * 37 % 64;
    all[threadIdx.x].index = threadIdx.x;
}

__global__ void
take(const pair *all, pair *out)
{
    *(int4 *)&out[threadIdx.x] = *(const int4 *)&all[threadIdx.x];
}

int
main()
{
    pair *all = fresh<pair>(64);

    set<<<1, 64>>>(all);
    take<<<1, 64>>>(all, fresh<pair>(64));
    return finish();
}
