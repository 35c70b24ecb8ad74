/* Each sum in double, rounded once; pixels outside are left out. */
void
solve(const float *input, const float *kernel, float *output, int input_rows,
      int input_cols, int kernel_rows, int kernel_cols)
{
    const int high = kernel_rows / 2, wide = kernel_cols / 2;

    for (int i = 0; i < input_rows; i++) {
        for (int j = 0; j < input_cols; j++) {
            double sum = 0;

            for (int m = i < high ? high - i : 0;
                 m < kernel_rows && i + m - high < input_rows; m++) {
                const float *row = input + (long)(i + m - high) * input_cols;

                for (int n = j < wide ? wide - j : 0;
                     n < kernel_cols && j + n - wide < input_cols; n++)
                    sum += (double)row[j + n - wide] * kernel[m * kernel_cols + n];
            }
            output[(long)i * input_cols + j] = (float)sum;
        }
    }
}
