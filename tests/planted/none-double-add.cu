// bug: none
// atomicAdd of doubles by compare-and-swap, as the programming guide writes it.
#include "planted.h"

__device__ double
add(double *address, double v)
{
    unsigned long long *p = (unsigned long long *)address, old = *p, seen;

    do {
        seen = old;
        old = atomicCAS(p, seen, __double_as_longlong(v + __longlong_as_double(seen)));
    } while (seen != old);
    return __longlong_as_double(old);
}

__global__ void
sum(const double *in, double *out)
{
    __shared__ double s;

    if (threadIdx.x == 0)
        s = 0;
    __syncthreads();
    add(&s, in[blockIdx.x * blockDim.x + threadIdx.x]);
    __syncthreads();
    if (threadIdx.x == 0)
        add(out, s);
}

int
main()
{
    sum<<<4, 64>>>(counted<double>(256), zeros<double>(1));
    return finish();
}
