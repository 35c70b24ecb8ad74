// warpjudge: int8-asymmetric-quantize
// One thread does everything, in double.
#include <stdint.h>

__device__ float
clamp(float q)
{
    return q < -128 ? -128 : q > 127 ? 127 : q;
}

__global__ void
serial(const float *input, int8_t *output, float *scale, int *zero_point, int N)
{
    float low = 0, high = 0, zero;

    for (int i = 0; i < N; i++) {
        low = fminf(low, input[i]);
        high = fmaxf(high, input[i]);
    }
    *scale = high > low ? (high - low) / 255 : 1;
    zero = high > low ? clamp(rintf(-128 - low / *scale)) : 0;
    *zero_point = (int)zero;
    for (int i = 0; i < N; i++)
        output[i] = (int8_t)clamp(rintf(input[i] / *scale) + zero);
}

extern "C" void
solve(const float *input, int8_t *output, float *scale, int *zero_point, int N)
{
    serial<<<1, 1>>>(input, output, scale, zero_point, N);
}
