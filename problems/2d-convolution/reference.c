/* Each sum in double, rounded once. */
void
solve(const float *input, const float *kernel, float *output, int input_rows,
      int input_cols, int kernel_rows, int kernel_cols)
{
    const long rows = input_rows - kernel_rows + 1, cols = input_cols - kernel_cols + 1;

    for (long i = 0; i < rows; i++) {
        for (long j = 0; j < cols; j++) {
            double sum = 0;

            for (long m = 0; m < kernel_rows; m++)
                for (long n = 0; n < kernel_cols; n++)
                    sum += (double)input[(i + m) * input_cols + j + n] *
                           kernel[m * kernel_cols + n];
            output[i * cols + j] = (float)sum;
        }
    }
}
