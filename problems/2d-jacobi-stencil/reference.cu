/* The mean in double, rounded once. */
__global__ static void
sweep(const float *input, float *output, int rows, int cols)
{
    int j = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    int i = (int)(blockIdx.y * blockDim.y + threadIdx.y);
    const size_t place = (size_t)i * cols + j;
    const float *x = input + place;

    if (i >= rows || j >= cols)
        return;
    if (i == 0 || j == 0 || i == rows - 1 || j == cols - 1)
        output[place] = *x;
    else
        output[place] = (float)(((double)x[-cols] + x[cols] + x[-1] + x[1]) / 4);
}

extern "C" void
solve(const float *input, float *output, int rows, int cols)
{
    dim3 grid((unsigned)(cols + 31) / 32, (unsigned)(rows + 7) / 8);

    sweep<<<grid, dim3(32, 8)>>>(input, output, rows, cols);
}
