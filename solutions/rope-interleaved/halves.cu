// warpjudge: rope-interleaved
// expect: wrong_answer
// Pairs element j of the first half with element j of the second, where neighbours belong
// together.
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
        float *first = x + pair / half * 2 * half + j, *second = first + half;
        float a = *first, b = *second;

        *first = a * c - b * s;
        *second = a * s + b * c;
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
