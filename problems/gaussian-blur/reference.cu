/* Each sum in double, rounded once; pixels outside are left out. */
__global__ static void
blur(const float *input, const float *kernel, float *output, int input_rows,
     int input_cols, int kernel_rows, int kernel_cols)
{
    const int high = kernel_rows / 2, wide = kernel_cols / 2;
    const int j = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    const int i = (int)(blockIdx.y * blockDim.y + threadIdx.y);
    double sum = 0;

    if (i >= input_rows || j >= input_cols)
        return;
    for (int m = max(0, high - i); m < kernel_rows && i + m - high < input_rows; m++) {
        const float *row = input + (size_t)(i + m - high) * input_cols;

        for (int n = max(0, wide - j); n < kernel_cols && j + n - wide < input_cols; n++)
            sum += (double)row[j + n - wide] * kernel[m * kernel_cols + n];
    }
    output[(size_t)i * input_cols + j] = (float)sum;
}

extern "C" void
solve(const float *input, const float *kernel, float *output, int input_rows,
      int input_cols, int kernel_rows, int kernel_cols)
{
    dim3 grid((unsigned)(input_cols + 31) / 32, (unsigned)(input_rows + 7) / 8);

    blur<<<grid, dim3(32, 8)>>>(input, kernel, output, input_rows, input_cols,
                                kernel_rows, kernel_cols);
}
