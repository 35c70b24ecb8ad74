// bug: none
// Only the first element of each float4 is changed; others read the last one meanwhile.
#include "planted.h"

__global__ void
add(float4 *a, float *last)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, other = (i + 77) % 128;
    float4 v = a[i];

    v.x += 1;
    a[i] = v;
    last[i] = a[other].w;
}

int
main()
{
    add<<<4, 32>>>((float4 *)counted<float>(512), fresh<float>(128));
    return finish();
}
