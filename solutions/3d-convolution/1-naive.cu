// warpjudge: 3d-convolution
// expect: accepted
// idea: The slowest way comes first, to measure the others against. Give each output a thread, which
//   reads its part of the volume and all weights from memory.
// One thread for each output. A kernel of 5 x 5 x 5 means 125 products and 250 loads. They come from
// the caches, since neighbouring threads read nearly the same.
// H200: 958 µs
#include <cuda_runtime.h>

__global__ void
convolve(const float *input, const float *kernel, float *output, int input_depth,
         int input_rows, int input_cols, int kernel_depth, int kernel_rows,
         int kernel_cols)
{
    int depths = input_depth - kernel_depth + 1;
    int rows = input_rows - kernel_rows + 1, cols = input_cols - kernel_cols + 1;
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    int j = blockIdx.y * blockDim.y + threadIdx.y;
    int i = blockIdx.z;

    if (i < depths && j < rows && k < cols) {
        float sum = 0.0f;

        for (int d = 0; d < kernel_depth; d++)
            for (int r = 0; r < kernel_rows; r++)
                for (int c = 0; c < kernel_cols; c++)
                    sum += input[((i + d) * input_rows + j + r) * input_cols + k + c] *
                           kernel[(d * kernel_rows + r) * kernel_cols + c];
        output[(i * rows + j) * cols + k] = sum;
    }
}

extern "C" void
solve(const float *input, const float *kernel, float *output, int input_depth,
      int input_rows, int input_cols, int kernel_depth, int kernel_rows, int kernel_cols)
{
    dim3 block(32, 4);
    dim3 grid((input_cols - kernel_cols) / 32 + 1, (input_rows - kernel_rows) / 4 + 1,
              input_depth - kernel_depth + 1);

    convolve<<<grid, block>>>(input, kernel, output, input_depth, input_rows, input_cols,
                              kernel_depth, kernel_rows, kernel_cols);
    cudaDeviceSynchronize();
}
