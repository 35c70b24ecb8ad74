// bug: bounds 10
// More dynamic shared memory is used than the launch asks for.
#include "planted.h"

extern __shared__ float buffer[];

__global__ void
reverse(const float *in, float *out, int n)
{
    buffer[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = buffer[n - 1 - threadIdx.x];
}

int
main()
{
    reverse<<<1, 64, 64>>>(counted<float>(64), fresh<float>(64), 64);
    return finish();
}
