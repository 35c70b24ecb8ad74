/* Each sum in double, rounded once. */
__global__ static void
convolve(const float *input, const float *kernel, float *output, int input_rows,
         int input_cols, int kernel_rows, int kernel_cols)
{
    const int rows = input_rows - kernel_rows + 1, cols = input_cols - kernel_cols + 1;
    const int j = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    const int i = (int)(blockIdx.y * blockDim.y + threadIdx.y);
    double sum = 0;

    if (i >= rows || j >= cols)
        return;
    for (int m = 0; m < kernel_rows; m++)
        for (int n = 0; n < kernel_cols; n++)
            sum +=
                (double)input[(i + m) * input_cols + j + n] * kernel[m * kernel_cols + n];
    output[i * cols + j] = (float)sum;
}

extern "C" void
solve(const float *input, const float *kernel, float *output, int input_rows,
      int input_cols, int kernel_rows, int kernel_cols)
{
    dim3 grid((unsigned)(input_cols - kernel_cols) / 32 + 1,
              (unsigned)(input_rows - kernel_rows) / 8 + 1);

    convolve<<<grid, dim3(32, 8)>>>(input, kernel, output, input_rows, input_cols,
                                    kernel_rows, kernel_cols);
}
