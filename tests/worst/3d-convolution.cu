// warpjudge: 3d-convolution
// A thread for each element; neighbours are a plane apart.
__global__ void
each(const float *input, const float *kernel, float *output, int input_depth, int input_rows, int input_cols, int kernel_depth, int kernel_rows, int kernel_cols)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    int depth = input_depth - kernel_depth + 1, rows = input_rows - kernel_rows + 1;
    int cols = input_cols - kernel_cols + 1, z = i % depth, y = i / depth % rows, x = i / depth / rows;
    float sum = 0;

    if (x >= cols)
        return;
    for (int d = 0; d < kernel_depth; d++)
        for (int r = 0; r < kernel_rows; r++)
            for (int c = 0; c < kernel_cols; c++)
                sum += input[((z + d) * input_rows + y + r) * input_cols + x + c] *
                       kernel[(d * kernel_rows + r) * kernel_cols + c];
    output[(z * rows + y) * cols + x] = sum;
}

extern "C" void
solve(const float *input, const float *kernel, float *output, int input_depth, int input_rows, int input_cols, int kernel_depth, int kernel_rows, int kernel_cols)
{
    each<<<(input_depth * input_rows * input_cols + 255) / 256, 256>>>(input, kernel, output, input_depth, input_rows, input_cols, kernel_depth, kernel_rows, kernel_cols);
}
