// bug: none
// A stencil by shuffles: the lane at the edge reads from one that has returned, and takes a
// number of its own instead.
#include "planted.h"

__global__ void
smooth(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;

    if (i >= n)
        return;
    unsigned mask = __activemask();
    float v = in[i], left = __shfl_up_sync(mask, v, 1), right = __shfl_down_sync(mask, v, 1);

    if (lane == 0)
        left = i > 0 ? in[i - 1] : v;
    if (i == n - 1)
        right = v;
    else if (lane == 31)
        right = in[i + 1];
    out[i] = left + 2 * v + right;
}

__global__ void
largest(const double *in, double *out, int n)
{
    int i = threadIdx.x;
    double v = i < n ? in[i] : 0;

    if (i < n)
        for (int d = 1; d < n; d *= 2) {
            double other = __shfl_down_sync((1u << n) - 1, v, d);

            v = i + d < n && other > v ? other : v;
        }
    if (i == 0)
        *out = v;
}

int
main()
{
    smooth<<<2, 64>>>(counted<float>(100), fresh<float>(100), 100);
    largest<<<1, 32>>>(counted<double>(20), fresh<double>(1), 20);
    return finish();
}
