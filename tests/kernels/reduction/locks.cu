// warpjudge: reduction
// expect: accepted
// A compare-and-swap loop, and a spin lock that lanes of one warp compete for.
#include <cuda_runtime.h>
__device__ double swapped, locked;
__device__ int lock;
__global__ void
clear()
{
    swapped = locked = 0;
}
__device__ void
add_by_swapping(double *to, double v)
{
    unsigned long long *p = (unsigned long long *)to;
    unsigned long long old = *p, seen;
    do {
        seen = old;
        old = atomicCAS(p, seen, __double_as_longlong(v + __longlong_as_double(seen)));
    } while (old != seen);
}
__global__ void
add(const float *in, int n)
{
    double v = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n;
         i += gridDim.x * blockDim.x)
        v += in[i];
    if (threadIdx.x % 2 == 0) {
        add_by_swapping(&swapped, v);
        return;
    }
    for (bool waits = true; waits;) {
        if (atomicCAS(&lock, 0, 1) == 0) {
            __threadfence();
            *(volatile double *)&locked = *(volatile double *)&locked + v;
            __threadfence();
            atomicExch(&lock, 0);
            waits = false;
        }
    }
}
__global__ void
finish(float *out)
{
    *out = (float)(swapped + locked);
}
extern "C" void
solve(const float *input, float *output, int N)
{
    clear<<<1, 1>>>();
    add<<<4, 64>>>(input, N);
    finish<<<1, 1>>>(output);
}
