/* The mean in double, rounded once. */
void
solve(const float *input, float *output, int rows, int cols)
{
    for (long i = 0; i < rows; i++) {
        for (long j = 0; j < cols; j++) {
            const float *x = input + i * cols + j;

            if (i == 0 || j == 0 || i == rows - 1 || j == cols - 1)
                output[i * cols + j] = *x;
            else
                output[i * cols + j] =
                    (float)(((double)x[-cols] + x[cols] + x[-1] + x[1]) / 4);
        }
    }
}
