/* Each sum in double, rounded once. */
void
solve(const float *input, const float *kernel, float *output, int input_size,
      int kernel_size)
{
    for (int i = 0; i <= input_size - kernel_size; i++) {
        double sum = 0;

        for (int j = 0; j < kernel_size; j++)
            sum += (double)input[i + j] * kernel[j];
        output[i] = (float)sum;
    }
}
