// warpjudge: 2d-convolution
// A thread for each element; neighbours are a row apart.
__global__ void
each(const float *input, const float *kernel, float *output, int input_rows, int input_cols, int kernel_rows, int kernel_cols)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    int rows = input_rows - kernel_rows + 1, cols = input_cols - kernel_cols + 1;
    int row = i % rows, col = i / rows;
    float sum = 0;

    if (col >= cols)
        return;
    for (int r = 0; r < kernel_rows; r++)
        for (int c = 0; c < kernel_cols; c++)
            sum += input[(row + r) * input_cols + col + c] * kernel[r * kernel_cols + c];
    output[row * cols + col] = sum;
}

extern "C" void
solve(const float *input, const float *kernel, float *output, int input_rows, int input_cols, int kernel_rows, int kernel_cols)
{
    each<<<(input_rows * input_cols + 255) / 256, 256>>>(input, kernel, output, input_rows, input_cols, kernel_rows, kernel_cols);
}
