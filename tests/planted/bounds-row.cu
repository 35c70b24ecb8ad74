// bug: bounds 11
// Rows and columns are exchanged in a matrix that is not square.
#include "planted.h"

__global__ void
copy(const float *a, float *b, int rows, int columns)
{
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;

    if (x < columns && y < rows)
        b[x * columns + y] = a[y * columns + x];
}

int
main()
{
    copy<<<dim3(3, 1), dim3(16, 16)>>>(counted<float>(640), fresh<float>(640), 16, 40);
    return finish();
}
