// warpjudge: rgb-to-grayscale
// expect: wrong_answer
// The plain mean of the three colors: right for gray pixels only.
#include <cuda_runtime.h>

__global__ void
to_gray(const float *input, float *output, int pixels)
{
    int p = blockIdx.x * blockDim.x + threadIdx.x;

    if (p < pixels)
        output[p] = (input[3 * p] + input[3 * p + 1] + input[3 * p + 2]) / 3.0f;
}

extern "C" void
solve(const float *input, float *output, int width, int height)
{
    int pixels = width * height;

    to_gray<<<(pixels + 255) / 256, 256>>>(input, output, pixels);
}
