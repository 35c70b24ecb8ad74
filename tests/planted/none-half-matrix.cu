// bug: none
// Rows of 17 two-byte elements lie in tiles of 16 columns. Each element is read and written by
// its own thread alone. A row's last element and the next row's first share a word.
#include "planted.h"

enum { ROWS = 33, COLS = 17 };

__global__ void
scale(unsigned short *c)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;

    if (row < ROWS && col < COLS) c[row * COLS + col] = c[row * COLS + col] * 3 + 1;
}

int
main()
{
    scale<<<dim3(2, 3), dim3(16, 16)>>>(counted<unsigned short>(ROWS * COLS));
    return finish();
}
