// bug: race 13 13
// Two-byte elements, reversed in place in tiles of 16 columns: a row's other half belongs to another block.
#include "planted.h"

enum { ROWS = 33, COLS = 32 };

__global__ void
reverse(unsigned short *c)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;

    if (row < ROWS) c[row * COLS + col] = c[row * COLS + COLS - 1 - col] + 1;
}

int
main()
{
    reverse<<<dim3(2, 3), dim3(16, 16)>>>(counted<unsigned short>(ROWS * COLS));
    return finish();
}
