/* Each sum in double, rounded once. */
void
solve(const float *input, const float *kernel, float *output, int input_depth,
      int input_rows, int input_cols, int kernel_depth, int kernel_rows, int kernel_cols)
{
    const long depths = input_depth - kernel_depth + 1,
               rows = input_rows - kernel_rows + 1, cols = input_cols - kernel_cols + 1;

    for (long i = 0; i < depths; i++)
        for (long j = 0; j < rows; j++)
            for (long k = 0; k < cols; k++) {
                const float *weight = kernel;
                double sum = 0;

                for (long d = 0; d < kernel_depth; d++)
                    for (long r = 0; r < kernel_rows; r++)
                        for (long c = 0; c < kernel_cols; c++)
                            sum += (double)
                                       input[((i + d) * input_rows + j + r) * input_cols +
                                             k + c] *
                                   *weight++;
                output[(i * rows + j) * cols + k] = (float)sum;
            }
}
