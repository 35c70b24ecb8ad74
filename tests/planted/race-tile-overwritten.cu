// bug: race 13 17
// The second barrier of a tiled loop is missing: the next tile overwrites one in use.
#include "planted.h"

__global__ void
product(const float *a, const float *b, float *c, int n)
{
    __shared__ float ta[16][16];
    int x = threadIdx.x, y = threadIdx.y;
    float sum = 0;

    for (int t = 0; t < n / 16; t++) {
        ta[y][x] = a[(blockIdx.y * 16 + y) * n + t * 16 + x];
        __syncthreads();
#pragma unroll 1
        for (int k = 0; k < 16; k++)
            sum += ta[y][k] * b[(t * 16 + k) * n + blockIdx.x * 16 + x];
    }
    c[(blockIdx.y * 16 + y) * n + blockIdx.x * 16 + x] = sum;
}

int
main()
{
    product<<<dim3(4, 4), dim3(16, 16)>>>(counted<float>(4096), counted<float>(4096),
                                          zeros<float>(4096), 64);
    return finish();
}
