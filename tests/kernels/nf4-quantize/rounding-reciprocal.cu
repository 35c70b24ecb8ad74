// warpjudge: nf4-quantize
// expect: accepted
// Multiplies by the reciprocal of the largest magnitude.
#include <cuda_runtime.h>

__constant__ float threshold[15] = {
    -0.8480964004993439f, -0.6106329262256622f, -0.4599952697753906f, -0.33967943489551544f, -0.23460740596055984f,
    -0.13791173323988914f, -0.045525018125772476f, 0.03979014977812767f, 0.1202552504837513f, 0.2035212516784668f,
    0.2920137718319893f, 0.3893125355243683f, 0.5016634166240692f, 0.6427869200706482f, 0.8614784181118011f,
};

__device__ int
code(float value, float largest)
{
    float v = largest > 0.0f ? value * (1.0f / largest) : 0.0f;
    int below = 0;

    for (int t = 0; t < 15; t++)
        below += v > threshold[t];
    return below;
}

__global__ void
quantize(const float *input, unsigned char *packed, float *absmax, int N)
{
    int block = blockIdx.x * blockDim.x + threadIdx.x;
    long first = 64L * block, end = min(first + 64, (long)N);
    float largest = 0.0f;

    if (first >= N)
        return;
    for (long i = first; i < end; i++)
        largest = fmaxf(largest, fabsf(input[i]));
    absmax[block] = largest;
    for (long i = first; i < end; i += 2) {
        int high = code(input[i], largest);
        int low = i + 1 < end ? code(input[i + 1], largest) : 0;

        packed[i / 2] = high << 4 | low;
    }
}

extern "C" void
solve(const float *input, unsigned char *packed, float *absmax, int N)
{
    int blocks_of_64 = (N + 63) / 64;

    quantize<<<(blocks_of_64 + 127) / 128, 128>>>(input, packed, absmax, N);
}
