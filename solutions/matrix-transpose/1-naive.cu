// warpjudge: matrix-transpose
// expect: accepted
// idea: Each element moves from its row and column to its column and row. Give each a thread, and
//   look at the addresses that a warp reads and writes.
// One thread for each element. A warp reads 32 neighbours of a row, and writes them rows apart: 32
// sectors of 32 bytes for 4 bytes each.
// H200: 668 µs
#include <cuda_runtime.h>

__global__ void
transpose(const float *input, float *output, int rows, int cols)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;

    if (row < rows && column < cols)
        output[column * rows + row] = input[row * cols + column];
}

extern "C" void
solve(const float *input, float *output, int rows, int cols)
{
    dim3 block(32, 8);
    dim3 grid((cols + 31) / 32, (rows + 7) / 8);

    transpose<<<grid, block>>>(input, output, rows, cols);
}
