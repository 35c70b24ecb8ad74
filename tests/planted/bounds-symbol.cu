// bug: bounds 10
// One element past a __device__ array.
#include "planted.h"

__device__ int table[50];

__global__ void
fill()
{
    table[threadIdx.x] = threadIdx.x;
}

int
main()
{
    fill<<<1, 51>>>();
    return finish();
}
