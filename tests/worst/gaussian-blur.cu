// warpjudge: gaussian-blur
// A thread for each element; neighbours are a row apart.
__global__ void
each(const float *input, const float *kernel, float *output, int input_rows, int input_cols, int kernel_rows, int kernel_cols)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    int row = i % input_rows, col = i / input_rows;
    float sum = 0;

    if (col >= input_cols)
        return;
    for (int r = 0; r < kernel_rows; r++)
        for (int c = 0; c < kernel_cols; c++) {
            int y = row + r - kernel_rows / 2, x = col + c - kernel_cols / 2;

            if (y >= 0 && y < input_rows && x >= 0 && x < input_cols)
                sum += input[y * input_cols + x] * kernel[r * kernel_cols + c];
        }
    output[row * input_cols + col] = sum;
}

extern "C" void
solve(const float *input, const float *kernel, float *output, int input_rows, int input_cols, int kernel_rows, int kernel_cols)
{
    each<<<(input_rows * input_cols + 255) / 256, 256>>>(input, kernel, output, input_rows, input_cols, kernel_rows, kernel_cols);
}
