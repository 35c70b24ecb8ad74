// warpjudge: int8-symmetric-quantize
// One thread does everything, in double.
#include <stdint.h>

__global__ void
serial(const float *input, int8_t *output, float *scale, int N)
{
    float largest = 0;

    for (int i = 0; i < N; i++)
        largest = fmaxf(largest, fabsf(input[i]));
    *scale = largest > 0 ? largest / 127 : 1;
    for (int i = 0; i < N; i++) {
        float q = rintf(input[i] / *scale);

        output[i] = (int8_t)(q < -127 ? -127 : q > 127 ? 127 : q);
    }
}

extern "C" void
solve(const float *input, int8_t *output, float *scale, int N)
{
    serial<<<1, 1>>>(input, output, scale, N);
}
