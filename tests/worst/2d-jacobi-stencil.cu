// warpjudge: 2d-jacobi-stencil
// One thread does everything.
__global__ void
serial(const float *input, float *output, int rows, int cols)
{
    for (int i = 0; i < rows; i++) {
        for (int j = 0; j < cols; j++)
            if (i == 0 || j == 0 || i == rows - 1 || j == cols - 1)
                output[i * cols + j] = input[i * cols + j];
            else
                output[i * cols + j] = (input[(i - 1) * cols + j] + input[(i + 1) * cols + j] +
                                        input[i * cols + j - 1] + input[i * cols + j + 1]) / 4;
    }
}

extern "C" void
solve(const float *input, float *output, int rows, int cols)
{
    serial<<<1, 1>>>(input, output, rows, cols);
}
