/* Each sum in double, rounded once. */
__global__ static void
convolve(const float *input, const float *kernel, float *output, int input_depth,
         int input_rows, int input_cols, int kernel_depth, int kernel_rows,
         int kernel_cols)
{
    const int rows = input_rows - kernel_rows + 1, cols = input_cols - kernel_cols + 1;
    const int k = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    const int j = (int)(blockIdx.y * blockDim.y + threadIdx.y);
    const int i = (int)blockIdx.z;
    double sum = 0;

    if (j >= rows || k >= cols)
        return;
    for (int d = 0; d < kernel_depth; d++)
        for (int r = 0; r < kernel_rows; r++)
            for (int c = 0; c < kernel_cols; c++)
                sum +=
                    (double)input[((i + d) * input_rows + j + r) * input_cols + k + c] *
                    *kernel++;
    output[(i * rows + j) * cols + k] = (float)sum;
}

extern "C" void
solve(const float *input, const float *kernel, float *output, int input_depth,
      int input_rows, int input_cols, int kernel_depth, int kernel_rows, int kernel_cols)
{
    dim3 grid((unsigned)(input_cols - kernel_cols) / 32 + 1,
              (unsigned)(input_rows - kernel_rows) / 8 + 1,
              (unsigned)(input_depth - kernel_depth) + 1);

    convolve<<<grid, dim3(32, 8)>>>(input, kernel, output, input_depth, input_rows,
                                    input_cols, kernel_depth, kernel_rows, kernel_cols);
}
