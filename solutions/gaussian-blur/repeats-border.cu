// warpjudge: gaussian-blur
// expect: wrong_answer
// Repeats the border's pixels outside of the image instead of taking 0.
#include <cuda_runtime.h>

__global__ void
blur(const float *input, const float *kernel, float *output, int input_rows,
     int input_cols, int kernel_rows, int kernel_cols)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;

    if (i >= input_rows || j >= input_cols)
        return;
    float sum = 0.0f;

    for (int m = 0; m < kernel_rows; m++)
        for (int n = 0; n < kernel_cols; n++) {
            int row = i + m - kernel_rows / 2, column = j + n - kernel_cols / 2;

            row = min(max(row, 0), input_rows - 1);
            column = min(max(column, 0), input_cols - 1);
            sum += input[row * input_cols + column] * kernel[m * kernel_cols + n];
        }
    output[i * input_cols + j] = sum;
}

extern "C" void
solve(const float *input, const float *kernel, float *output, int input_rows,
      int input_cols, int kernel_rows, int kernel_cols)
{
    dim3 block(16, 16);
    dim3 grid((input_cols + 15) / 16, (input_rows + 15) / 16);

    blur<<<grid, block>>>(input, kernel, output, input_rows, input_cols, kernel_rows,
                          kernel_cols);
    cudaDeviceSynchronize();
}
