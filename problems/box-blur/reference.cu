/* The mean over the clipped window, cut to a whole number: one thread for each pixel. */
__global__ static void
blur(const unsigned char *input, unsigned char *output, int width, int height, int radius)
{
    int x = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    int y = (int)(blockIdx.y * blockDim.y + threadIdx.y);
    int left = max(0, x - radius), right = min(width - 1, x + radius);
    int top = max(0, y - radius), bottom = min(height - 1, y + radius);
    int sum[3] = {0, 0, 0};

    if (x >= width || y >= height)
        return;
    for (int v = top; v <= bottom; v++) {
        const unsigned char *row = input + (size_t)v * width * 3;

        for (int u = left; u <= right; u++)
            for (int c = 0; c < 3; c++)
                sum[c] += row[3 * u + c];
    }
    for (int c = 0; c < 3; c++)
        output[((size_t)y * width + x) * 3 + c] =
            (unsigned char)(sum[c] / ((bottom - top + 1) * (right - left + 1)));
}

extern "C" void
solve(const unsigned char *input, unsigned char *output, int width, int height, int radius)
{
    dim3 block(32, 8);
    dim3 grid((unsigned)(width + 31) / 32, (unsigned)(height + 7) / 8);

    blur<<<grid, block>>>(input, output, width, height, radius);
}
