// bug: unwritten 14
// Padding may be copied. This kernel computes with what lies there.
#include "planted.h"

__global__ void
points(float4 *p)
{
    p[threadIdx.x].x = p[threadIdx.x].y = p[threadIdx.x].z = 1;
}

__global__ void
use(float *norms, const float *p)
{
    norms[threadIdx.x] = p[4 * threadIdx.x] + p[4 * threadIdx.x + 3];
}

int
main()
{
    float4 *p = fresh<float4>(64);

    points<<<1, 64>>>(p);
    use<<<1, 64>>>(fresh<float>(64), (const float *)p);
    return finish();
}
