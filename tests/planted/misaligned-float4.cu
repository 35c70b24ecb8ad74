// bug: misaligned 8
// float4 at an address that is a multiple of 4 only.
#include "planted.h"

__global__ void
copy(const float *a, float *b)
{
    ((float4 *)b)[threadIdx.x] = *(const float4 *)(a + 1 + threadIdx.x * 4);
}

int
main()
{
    copy<<<1, 8>>>(counted<float>(64), fresh<float>(64));
    return finish();
}
