// warpjudge: nf4-double-quantize
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

/* Codes of one block of the first level. Returns its largest magnitude. */
__device__ float
first_level(const float *input, uint8_t *packed, int count)
{
    float largest = 0;

    for (int i = 0; i < count; i++)
        largest = fmaxf(largest, fabsf(input[i]));
    for (int i = 0; i < count; i += 2) {
        int high = code(input[i], largest),
            low = i + 1 < count ? code(input[i + 1], largest) : 0;

        packed[i / 2] = (uint8_t)(high << 4 | low);
    }
    return largest;
}

/* Codes of one group of block maxima. Returns its scale. */
__device__ float
second_level(const float *maxima, float mean, const float *codebook, uint8_t *codes,
             int count)
{
    float largest = 0;

    for (int b = 0; b < count; b++)
        largest = fmaxf(largest, fabsf(maxima[b] - mean));
    for (int b = 0; b < count; b++) {
        float ratio = largest > 0 ? (maxima[b] - mean) / largest : 0;
        int below = 0;

        for (int j = 0; j < 255; j++) {
            float both = codebook[j] + codebook[j + 1];

            below += ratio > 0.5f * both;
        }
        codes[b] = (uint8_t)below;
    }
    return largest;
}

__global__ void
serial(const float *input, const float *codebook, uint8_t *packed, uint8_t *absmax_code,
       float *absmax2, float *offset, int N)
{
    int blocks = (int)((N + 63L) / 64);
    float *maxima = (float *)malloc((size_t)blocks * sizeof *maxima);
    double sum = 0;

    if (!maxima)
        __trap();
    for (int b = 0; b < blocks; b++) {
        int left = N - 64 * b;

        maxima[b] = first_level(input + 64L * b, packed + 32L * b, left < 64 ? left : 64);
        sum += maxima[b];
    }
    *offset = (float)(sum / blocks);
    for (int b = 0; b < blocks; b += 256) {
        int left = blocks - b;

        absmax2[b / 256] = second_level(maxima + b, *offset, codebook, absmax_code + b,
                                        left < 256 ? left : 256);
    }
    free(maxima);
}

extern "C" void
solve(const float *input, const float *codebook, uint8_t *packed, uint8_t *absmax_code,
      float *absmax2, float *offset, int N)
{
    serial<<<1, 1>>>(input, codebook, packed, absmax_code, absmax2, offset, N);
}
