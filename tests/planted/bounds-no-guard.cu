// bug: bounds 10
// No guard, and the grid is larger than the data.
#include "planted.h"

__global__ void
add(const float *a, const float *b, float *c)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    c[i] = a[i] + b[i];
}

int
main()
{
    add<<<2, 64>>>(counted<float>(100), counted<float>(100), fresh<float>(100));
    return finish();
}
