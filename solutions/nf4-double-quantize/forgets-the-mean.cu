// warpjudge: nf4-double-quantize
// expect: wrong_answer
// The mean is left out: the maxima themselves are quantized.
#include <cuda_runtime.h>

__constant__ float threshold[15] = {
    -0.8480964004993439f, -0.6106329262256622f, -0.4599952697753906f, -0.33967943489551544f, -0.23460740596055984f,
    -0.13791173323988914f, -0.045525018125772476f, 0.03979014977812767f, 0.1202552504837513f, 0.2035212516784668f,
    0.2920137718319893f, 0.3893125355243683f, 0.5016634166240692f, 0.6427869200706482f, 0.8614784181118011f,
};

__device__ int
code(float value, float largest)
{
    float v = largest > 0.0f ? value / largest : 0.0f;
    int below = 0;

    for (int t = 0; t < 15; t++)
        below += v > threshold[t];
    return below;
}

__global__ void
first_level(const float *input, unsigned char *packed, float *maxima, double *sum, int N)
{
    int block = blockIdx.x * blockDim.x + threadIdx.x;
    long first = 64L * block, end = min(first + 64, (long)N);
    float largest = 0.0f;

    if (first >= N)
        return;
    for (long i = first; i < end; i++)
        largest = fmaxf(largest, fabsf(input[i]));
    maxima[block] = largest;
    atomicAdd(sum, (double)largest);
    for (long i = first; i < end; i += 2) {
        int high = code(input[i], largest);
        int low = i + 1 < end ? code(input[i + 1], largest) : 0;

        packed[i / 2] = high << 4 | low;
    }
}

__global__ void
second_level(const float *maxima, const double *sum, const float *codebook, unsigned char *absmax_code,
             float *absmax2, float *offset, int blocks)
{
    __shared__ float largest[256], level[256];
    int t = threadIdx.x, block = blockIdx.x * 256 + t;
    float mean = (float)(*sum / blocks);
    float d = block < blocks ? maxima[block] : 0.0f;
    int below = 0;

    largest[t] = fabsf(d);
    level[t] = codebook[t];
    __syncthreads();
    for (int half = 128; half > 0; half /= 2) {
        if (t < half)
            largest[t] = fmaxf(largest[t], largest[t + half]);
        __syncthreads();
    }
    float r = largest[0] > 0.0f ? d / largest[0] : 0.0f;

    for (int j = 0; j < 255; j++)
        below += r > 0.5f * (level[j] + level[j + 1]);
    if (block < blocks)
        absmax_code[block] = below;
    if (t == 0)
        absmax2[blockIdx.x] = largest[0];
    if (block == 0)
        *offset = mean;
}

extern "C" void
solve(const float *input, const float *codebook, unsigned char *packed, unsigned char *absmax_code, float *absmax2,
      float *offset, int N)
{
    int blocks = (N + 63) / 64;
    float *maxima;
    double *sum;

    cudaMalloc(&maxima, blocks * sizeof(float));
    cudaMalloc(&sum, sizeof(double));
    cudaMemset(sum, 0, sizeof(double));
    first_level<<<(blocks + 127) / 128, 128>>>(input, packed, maxima, sum, N);
    second_level<<<(blocks + 255) / 256, 256>>>(maxima, sum, codebook, absmax_code, absmax2, offset, blocks);
    cudaFree(sum);
    cudaFree(maxima);
}
