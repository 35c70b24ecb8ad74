// warpjudge: color-inversion
// One thread does everything.
__global__ void
serial(unsigned char *image, int width, int height)
{
    for (int i = 0; i < width * height; i++) {
        for (int c = 0; c < 3; c++)
            image[4 * i + c] = 255 - image[4 * i + c];
    }
}

extern "C" void
solve(unsigned char *image, int width, int height)
{
    serial<<<1, 1>>>(image, width, height);
}
