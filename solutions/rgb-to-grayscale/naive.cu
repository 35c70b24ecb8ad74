// warpjudge: rgb-to-grayscale
// expect: accepted
// One thread for each pixel.
#include <cuda_runtime.h>

__global__ void
to_gray(const float *input, float *output, int pixels)
{
    int p = blockIdx.x * blockDim.x + threadIdx.x;

    if (p < pixels)
        output[p] =
            0.299f * input[3 * p] + 0.587f * input[3 * p + 1] + 0.114f * input[3 * p + 2];
}

extern "C" void
solve(const float *input, float *output, int width, int height)
{
    int pixels = width * height;

    to_gray<<<(pixels + 255) / 256, 256>>>(input, output, pixels);
    cudaDeviceSynchronize();
}
