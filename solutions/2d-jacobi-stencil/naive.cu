// warpjudge: 2d-jacobi-stencil
// expect: accepted
// One thread for each cell.
#include <cuda_runtime.h>

__global__ void
sweep(const float *input, float *output, int rows, int cols)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    int place = i * cols + j;

    if (i >= rows || j >= cols)
        return;
    if (i == 0 || j == 0 || i == rows - 1 || j == cols - 1)
        output[place] = input[place];
    else
        output[place] = 0.25f * (input[place - cols] + input[place + cols] +
                                 input[place - 1] + input[place + 1]);
}

extern "C" void
solve(const float *input, float *output, int rows, int cols)
{
    dim3 block(32, 8);
    dim3 grid((cols + 31) / 32, (rows + 7) / 8);

    sweep<<<grid, block>>>(input, output, rows, cols);
    cudaDeviceSynchronize();
}
