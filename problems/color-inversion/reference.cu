/* 255 - b is b with all bits flipped; the alpha byte is the highest of the word. */
__global__ static void
invert(unsigned *image, int pixels)
{
    int p = (int)(blockIdx.x * blockDim.x + threadIdx.x);

    if (p < pixels)
        image[p] ^= 0x00FFFFFFu;
}

extern "C" void
solve(unsigned char *image, int width, int height)
{
    int pixels = width * height;

    invert<<<(pixels + 255) / 256, 256>>>((unsigned *)image, pixels);
}
