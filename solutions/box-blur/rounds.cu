// warpjudge: box-blur
// expect: wrong_answer
// Rounds the mean to the nearest whole number, where it is to be cut.
#include <cuda_runtime.h>

__global__ void
blur(const unsigned char *input, unsigned char *output, int width, int height, int radius)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;

    if (x >= width || y >= height)
        return;
    for (int c = 0; c < 3; c++) {
        int sum = 0, pixels = 0;

        for (int v = max(0, y - radius); v <= min(height - 1, y + radius); v++) {
            for (int u = max(0, x - radius); u <= min(width - 1, x + radius); u++) {
                sum += input[3 * (v * width + u) + c];
                pixels++;
            }
        }
        output[3 * (y * width + x) + c] = (sum + pixels / 2) / pixels;
    }
}

extern "C" void
solve(const unsigned char *input, unsigned char *output, int width, int height, int radius)
{
    dim3 block(16, 16);
    dim3 grid((width + 15) / 16, (height + 15) / 16);

    blur<<<grid, block>>>(input, output, width, height, radius);
}
