/* One thread for each pixel, in the integers of the statement. */
__global__ static void
draw(const int *cx, const int *cy, const unsigned char *palette, unsigned char *image, int width,
     int height, int max_iter)
{
    int x = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    int y = (int)(blockIdx.y * blockDim.y + threadIdx.y);
    int f = (int)blockIdx.z, n = 0;

    if (x >= width || y >= height)
        return;
    long long zx = -98304 + x * (196608 / width), zy = -98304 + y * (196608 / height);

    for (;;) {
        long long xx = (zx * zx) >> 16, yy = (zy * zy) >> 16, t = (zx * zy) >> 16;

        if (n == max_iter || xx + yy > 262144)
            break;
        zy = 2 * t + cy[f];
        zx = xx - yy + cx[f];
        n++;
    }
    unsigned char *pixel = image + (((size_t)f * height + y) * width + x) * 3;

    for (int c = 0; c < 3; c++)
        pixel[c] = n == max_iter ? 0 : palette[(n + f) % 256 * 3 + c];
}

extern "C" void
solve(const int *cx, const int *cy, const unsigned char *palette, unsigned char *image,
      int frames, int width, int height, int max_iter)
{
    dim3 block(32, 8);
    dim3 grid((unsigned)(width + 31) / 32, (unsigned)(height + 7) / 8, (unsigned)frames);

    draw<<<grid, block>>>(cx, cy, palette, image, width, height, max_iter);
}
