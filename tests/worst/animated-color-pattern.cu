// warpjudge: animated-color-pattern
// One thread does everything, in double.
#include <stdint.h>

/* Steps until z leaves the circle of radius 2, at most max_iter. */
__device__ int
steps(int64_t zx, int64_t zy, int cx, int cy, int max_iter)
{
    int n = 0;

    for (;;) {
        int64_t xx = (zx * zx) >> 16, yy = (zy * zy) >> 16, t = (zx * zy) >> 16;

        if (n == max_iter || xx + yy > 262144)
            return n;
        zy = 2 * t + cy;
        zx = xx - yy + cx;
        n++;
    }
}

__global__ void
serial(const int *cx, const int *cy, const uint8_t *palette, uint8_t *image, int frames,
       int width, int height, int max_iter)
{
    const int sx = 196608 / width, sy = 196608 / height;
    uint8_t *pixel = image;

    for (int f = 0; f < frames; f++) {
        for (int y = 0; y < height; y++) {
            for (int x = 0; x < width; x++) {
                int n = steps(-98304 + x * sx, -98304 + y * sy, cx[f], cy[f], max_iter);

                for (int c = 0; c < 3; c++)
                    *pixel++ = n == max_iter ? 0 : palette[(n + f) % 256 * 3 + c];
            }
        }
    }
}

extern "C" void
solve(const int *cx, const int *cy, const uint8_t *palette, uint8_t *image, int frames,
      int width, int height, int max_iter)
{
    serial<<<1, 1>>>(cx, cy, palette, image, frames, width, height, max_iter);
}
