// warpjudge: color-inversion
// expect: accepted
// One thread for each pixel.
#include <cuda_runtime.h>

__global__ void
invert(unsigned char *image, int width, int height)
{
    int p = blockIdx.x * blockDim.x + threadIdx.x;

    if (p < width * height) {
        image[4 * p] = 255 - image[4 * p];
        image[4 * p + 1] = 255 - image[4 * p + 1];
        image[4 * p + 2] = 255 - image[4 * p + 2];
    }
}

extern "C" void
solve(unsigned char *image, int width, int height)
{
    invert<<<(width * height + 255) / 256, 256>>>(image, width, height);
    cudaDeviceSynchronize();
}
