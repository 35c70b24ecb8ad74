// bug: none
// A float maximum by compare-and-swap in shared memory.
#include "planted.h"

__device__ void
raise(float *to, float v)
{
    int *p = (int *)to, old = *p;

    while (__int_as_float(old) < v) {
        int seen = old;

        old = atomicCAS(p, seen, __float_as_int(v));
        if (old == seen)
            break;
    }
}

__global__ void
largest(const float *in, float *out)
{
    __shared__ float s;

    if (threadIdx.x == 0)
        s = -1;
    __syncthreads();
    raise(&s, in[threadIdx.x]);
    __syncthreads();
    if (threadIdx.x == 0)
        *out = s;
}

int
main()
{
    largest<<<1, 128>>>(counted<float>(128), fresh<float>(1));
    return finish();
}
