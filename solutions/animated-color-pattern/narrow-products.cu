// warpjudge: animated-color-pattern
// expect: wrong_answer
// Products in 32 bits: they wrap as soon as a part of z is above 0.7.
#include <cuda_runtime.h>

__device__ static int
product(int a, int b)
{
    return (int)((unsigned)a * (unsigned)b) >> 16;
}

__global__ void
draw(const int *cx, const int *cy, const unsigned char *palette, unsigned char *image, int width,
     int height, int max_iter)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y, f = blockIdx.z;

    if (x >= width || y >= height)
        return;
    int zx = -98304 + x * (196608 / width), zy = -98304 + y * (196608 / height), n = 0;

    while (n < max_iter) {
        int xx = product(zx, zx), yy = product(zy, zy);

        if (xx + yy > 262144)
            break;
        zy = 2 * product(zx, zy) + cy[f];
        zx = xx - yy + cx[f];
        n++;
    }
    unsigned char *pixel = image + 3 * ((f * height + y) * width + x);

    for (int c = 0; c < 3; c++)
        pixel[c] = n == max_iter ? 0 : palette[(n + f) % 256 * 3 + c];
}

extern "C" void
solve(const int *cx, const int *cy, const unsigned char *palette, unsigned char *image,
      int frames, int width, int height, int max_iter)
{
    dim3 block(16, 16);
    dim3 grid((width + 15) / 16, (height + 15) / 16, frames);

    draw<<<grid, block>>>(cx, cy, palette, image, width, height, max_iter);
}
