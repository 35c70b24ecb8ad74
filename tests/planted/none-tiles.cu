// bug: none
// A tiled matrix product with both barriers.
#include "planted.h"

__global__ void
product(const float *a, const float *b, float *c, int n)
{
    __shared__ float ta[16][16], tb[16][17];
    int x = threadIdx.x, y = threadIdx.y;
    float sum = 0;

    for (int t = 0; t < n / 16; t++) {
        tb[y][x] = b[(t * 16 + y) * n + blockIdx.x * 16 + x];
        ta[y][x] = a[(blockIdx.y * 16 + y) * n + t * 16 + x];
        __syncthreads();
        for (int k = 0; k < 16; k++)
            sum += ta[y][k] * tb[k][x];
        __syncthreads();
    }
    c[(blockIdx.y * 16 + y) * n + blockIdx.x * 16 + x] = sum;
}

int
main()
{
    product<<<dim3(4, 4), dim3(16, 16)>>>(counted<float>(4096), counted<float>(4096),
                                          fresh<float>(4096), 64);
    return finish();
}
