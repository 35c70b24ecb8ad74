// warpjudge: box-blur
// expect: accepted
// One thread for each pixel; it adds its whole window.
#include <cuda_runtime.h>

__global__ void
blur(const unsigned char *input, unsigned char *output, int width, int height, int radius)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;

    if (x >= width || y >= height)
        return;
    int red = 0, green = 0, blue = 0, pixels = 0;

    for (int v = max(0, y - radius); v <= min(height - 1, y + radius); v++) {
        for (int u = max(0, x - radius); u <= min(width - 1, x + radius); u++) {
            const unsigned char *pixel = input + 3 * (v * width + u);

            red += pixel[0];
            green += pixel[1];
            blue += pixel[2];
            pixels++;
        }
    }
    unsigned char *pixel = output + 3 * (y * width + x);

    pixel[0] = red / pixels;
    pixel[1] = green / pixels;
    pixel[2] = blue / pixels;
}

extern "C" void
solve(const unsigned char *input, unsigned char *output, int width, int height, int radius)
{
    dim3 block(16, 16);
    dim3 grid((width + 15) / 16, (height + 15) / 16);

    blur<<<grid, block>>>(input, output, width, height, radius);
    cudaDeviceSynchronize();
}
