// warpjudge: nf4-quantize
// One thread does everything, in double.
#include <stdint.h>

__device__ const float threshold[15] = {
    -0.8480964004993439f,   -0.6106329262256622f,  -0.4599952697753906f,
    -0.33967943489551544f,  -0.23460740596055984f, -0.13791173323988914f,
    -0.045525018125772476f, 0.03979014977812767f,  0.1202552504837513f,
    0.2035212516784668f,    0.2920137718319893f,   0.3893125355243683f,
    0.5016634166240692f,    0.6427869200706482f,   0.8614784181118011f,
};

__device__ int
code(float value, float largest)
{
    float ratio = largest > 0 ? value / largest : 0;
    int below = 0;

    for (int t = 0; t < 15; t++)
        below += ratio > threshold[t];
    return below;
}

__global__ void
serial(const float *input, uint8_t *packed, float *absmax, int N)
{
    for (int b = 0; 64L * b < N; b++) {
        int first = 64 * b, end = N - first < 64 ? N : first + 64;
        float largest = 0;

        for (int i = first; i < end; i++)
            largest = fmaxf(largest, fabsf(input[i]));
        absmax[b] = largest;
        for (int i = first; i < end; i += 2) {
            int high = code(input[i], largest),
                low = i + 1 < end ? code(input[i + 1], largest) : 0;

            packed[i / 2] = (uint8_t)(high << 4 | low);
        }
    }
}

extern "C" void
solve(const float *input, uint8_t *packed, float *absmax, int N)
{
    serial<<<1, 1>>>(input, packed, absmax, N);
}
