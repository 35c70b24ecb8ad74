// bug: bounds 16
// The sum goes one element too far, into the array that happens to lie behind. A GPU lets it
// pass, and the answer is right as long as that element is 0.
#include "planted.h"

__global__ void sum(const float *in, float *out)
{
    __shared__ float tile[64];
    __shared__ float weights[64];
    float s = 0;

    tile[threadIdx.x] = in[threadIdx.x];
    weights[threadIdx.x] = threadIdx.x * 0.5f;
    __syncthreads();
    for (int i = 0; i <= 64; i++)
        s += tile[i];
    out[threadIdx.x] = s * weights[63 - threadIdx.x];
}

int main()
{
    sum<<<1, 64>>>(counted<float>(64), zeros<float>(64));
    return finish();
}
