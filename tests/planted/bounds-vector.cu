// bug: bounds 11
// float4 over a buffer whose length is no multiple of 4.
#include "planted.h"

__global__ void
scale(float4 *a, int n)
{
    int i = threadIdx.x;

    if (i < (n + 3) / 4) {
        float4 v = a[i];

        v.x *= 2;
        a[i] = v;
    }
}

int
main()
{
    scale<<<1, 64>>>((float4 *)counted<float>(70), 70);
    return finish();
}
