// warpjudge: matrix-transpose
// expect: wrong_answer
// The rows of the output are cols apart, not rows: right for square matrices only.
#include <cuda_runtime.h>

__global__ void
transpose(const float *input, float *output, int rows, int cols)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int place = column * cols + row;

    if (row < rows && column < cols && place < rows * cols)
        output[place] = input[row * cols + column];
}

extern "C" void
solve(const float *input, float *output, int rows, int cols)
{
    dim3 block(32, 8);
    dim3 grid((cols + 31) / 32, (rows + 7) / 8);

    transpose<<<grid, block>>>(input, output, rows, cols);
}
