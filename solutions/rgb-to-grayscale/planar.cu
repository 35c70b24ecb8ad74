// warpjudge: rgb-to-grayscale
// expect: wrong_answer
// Takes the image for three planes, all reds first: right for one pixel only.
#include <cuda_runtime.h>

__global__ void
to_gray(const float *input, float *output, int pixels)
{
    int p = blockIdx.x * blockDim.x + threadIdx.x;

    if (p < pixels)
        output[p] = 0.299f * input[p] + 0.587f * input[pixels + p] +
                    0.114f * input[2 * pixels + p];
}

extern "C" void
solve(const float *input, float *output, int width, int height)
{
    int pixels = width * height;

    to_gray<<<(pixels + 255) / 256, 256>>>(input, output, pixels);
}
