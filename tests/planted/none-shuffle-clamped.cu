// bug: none
// Lanes behind the end give 0 and stay; segments of 8 lanes; a lane that is read is clamped.
#include "planted.h"

__global__ void
sums(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
    float v = i < n ? in[i] : 0;
    float last = __shfl_sync(0xffffffff, v, min(lane + 3, 31));

    for (int d = 4; d > 0; d /= 2)
        v += __shfl_down_sync(0xffffffff, v, d, 8);
    if (lane % 8 == 0 && i < n)
        out[i / 8] = v + last;
}

__global__ void
pairs(const int *in, int *out)
{
    int t = threadIdx.x;

    if (t < 16)
        out[t] = in[t] + __shfl_xor_sync(0xffff, in[t], 1);
    else
        out[t] = in[t] + __shfl_sync(0xffff0000, in[t], 16);
}

int
main()
{
    sums<<<2, 64>>>(counted<float>(100), fresh<float>(16), 100);
    pairs<<<1, 32>>>(counted<int>(32), fresh<int>(32));
    return finish();
}
