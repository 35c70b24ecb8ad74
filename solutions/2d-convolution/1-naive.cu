// warpjudge: 2d-convolution
// expect: accepted
// idea: Every output can be computed by itself. Give each a thread, which multiplies its window of
//   the image by the kernel and adds up.
// One thread for each output.
// H200: 3.37 ms
#include <cuda_runtime.h>

__global__ void
convolve(const float *input, const float *kernel, float *output, int input_rows,
         int input_cols, int kernel_rows, int kernel_cols)
{
    int output_rows = input_rows - kernel_rows + 1,
        output_cols = input_cols - kernel_cols + 1;
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;

    if (i < output_rows && j < output_cols) {
        float sum = 0.0f;

        for (int m = 0; m < kernel_rows; m++)
            for (int n = 0; n < kernel_cols; n++)
                sum += input[(i + m) * input_cols + j + n] * kernel[m * kernel_cols + n];
        output[i * output_cols + j] = sum;
    }
}

extern "C" void
solve(const float *input, const float *kernel, float *output, int input_rows,
      int input_cols, int kernel_rows, int kernel_cols)
{
    dim3 block(16, 16);
    dim3 grid((input_cols - kernel_cols) / 16 + 1, (input_rows - kernel_rows) / 16 + 1);

    convolve<<<grid, block>>>(input, kernel, output, input_rows, input_cols, kernel_rows,
                              kernel_cols);
    cudaDeviceSynchronize();
}
