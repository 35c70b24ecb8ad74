// warpjudge: 2d-max-pooling
// One thread does everything, in double.
__device__ float
window_top(const float *image, int H, int W, int row, int column, int size)
{
    float top = -INFINITY;

    for (int r = row < 0 ? 0 : row; r < row + size && r < H; r++)
        for (int q = column < 0 ? 0 : column; q < column + size && q < W; q++)
            top = image[r * W + q] > top ? image[r * W + q] : top;
    return top;
}

__global__ void
serial(const float *input, float *output, int N, int C, int H, int W, int kernel_size,
       int stride, int padding)
{
    const int height = (H + 2 * padding - kernel_size) / stride + 1;
    const int width = (W + 2 * padding - kernel_size) / stride + 1;

    for (long plane = 0; plane < (long)N * C; plane++)
        for (int y = 0; y < height; y++)
            for (int x = 0; x < width; x++)
                *output++ = window_top(input + plane * H * W, H, W, y * stride - padding,
                                       x * stride - padding, kernel_size);
}

extern "C" void
solve(const float *input, float *output, int N, int C, int H, int W, int kernel_size,
      int stride, int padding)
{
    serial<<<1, 1>>>(input, output, N, C, H, W, kernel_size, stride, padding);
}
