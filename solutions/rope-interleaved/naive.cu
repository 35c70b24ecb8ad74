// warpjudge: rope-interleaved
// expect: accepted
// One thread for each pair.
#include <cuda_runtime.h>

// One thread for each pair.
__global__ void
rotate(float *x, const float *cos_table, const float *sin_table, const int *positions,
       int T, int H, int half, int direction)
{
    size_t pair = (size_t)blockIdx.x * blockDim.x + threadIdx.x;

    if (pair < (size_t)T * H * half) {
        int j = pair % half;
        int p = positions[pair / half / H];
        float c = cos_table[p * half + j], s = direction * sin_table[p * half + j];
        float a = x[2 * pair], b = x[2 * pair + 1];

        x[2 * pair] = a * c - b * s;
        x[2 * pair + 1] = a * s + b * c;
    }
}

extern "C" void
solve(float *x, const float *cos_table, const float *sin_table, const int *positions,
      int T, int H, int D, int P, int direction)
{
    size_t pairs = (size_t)T * H * (D / 2);

    rotate<<<(pairs + 255) / 256, 256>>>(x, cos_table, sin_table, positions, T, H, D / 2,
                                         direction);
}
