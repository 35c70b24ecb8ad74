/*
 * First level: a warp for each block of 64 elements, a byte of codes for each lane. The sum of the
 * block maxima is taken as an integer number of 2^-10, which is what the inputs are multiples of.
 * Second level: a thread block for each group of 256, a thread for each block maximum.
 */
#include <stdint.h>

__device__ static const float threshold[15] = {
    -0.8480964004993439f, -0.6106329262256622f, -0.4599952697753906f, -0.33967943489551544f, -0.23460740596055984f,
    -0.13791173323988914f, -0.045525018125772476f, 0.03979014977812767f, 0.1202552504837513f, 0.2035212516784668f,
    0.2920137718319893f, 0.3893125355243683f, 0.5016634166240692f, 0.6427869200706482f, 0.8614784181118011f,
};

__device__ static int
code(float value, float largest)
{
    float ratio = largest > 0 ? __fdiv_rn(value, largest) : 0.0f;
    int below = 0;

#pragma unroll
    for (int t = 0; t < 15; t++)
        below += ratio > threshold[t];
    return below;
}

__global__ static void
first_level(const float *input, uint8_t *packed, float *maxima, long N)
{
    long thread = (long)blockIdx.x * blockDim.x + threadIdx.x, i = 2 * thread;
    float x = i < N ? input[i] : 0.0f, y = i + 1 < N ? input[i + 1] : 0.0f;
    float largest = fmaxf(fabsf(x), fabsf(y));

    for (int offset = 16; offset > 0; offset /= 2)
        largest = fmaxf(largest, __shfl_xor_sync(0xFFFFFFFFu, largest, offset));
    if (i >= N)
        return;
    if (thread % 32 == 0)
        maxima[thread / 32] = largest;
    packed[thread] = (uint8_t)(code(x, largest) << 4 | (i + 1 < N ? code(y, largest) : 0));
}

__global__ static void
add_up(const float *maxima, unsigned long long *sum, int blocks)
{
    unsigned long long mine = 0;

    for (int b = (int)(blockIdx.x * blockDim.x + threadIdx.x); b < blocks; b += (int)(gridDim.x * blockDim.x))
        mine += (unsigned long long)(maxima[b] * 1024.0f);
    atomicAdd(sum, mine);
}

__global__ static void
second_level(const float *maxima, const unsigned long long *sum, const float *codebook, uint8_t *absmax_code,
             float *absmax2, float *offset, int blocks)
{
    __shared__ float middle[255];
    __shared__ unsigned largest_bits;
    int b = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    float mean = (float)((double)*sum / 1024.0 / blocks);
    float d = b < blocks ? __fsub_rn(maxima[b], mean) : 0.0f;

    if (threadIdx.x == 0)
        largest_bits = 0;
    if (threadIdx.x < 255)
        middle[threadIdx.x] = __fmul_rn(0.5f, __fadd_rn(codebook[threadIdx.x], codebook[threadIdx.x + 1]));
    __syncthreads();
    atomicMax(&largest_bits, __float_as_uint(fabsf(d)));
    __syncthreads();
    float largest = __uint_as_float(largest_bits), ratio = largest > 0 ? __fdiv_rn(d, largest) : 0.0f;
    int below = 0;

    for (int j = 0; j < 255; j++)
        below += ratio > middle[j];
    if (b < blocks)
        absmax_code[b] = (uint8_t)below;
    if (threadIdx.x == 0)
        absmax2[blockIdx.x] = largest;
    if (b == 0)
        *offset = mean;
}

extern "C" void
solve(const float *input, const float *codebook, uint8_t *packed, uint8_t *absmax_code, float *absmax2,
      float *offset, int N)
{
    int blocks = (int)((N + 63L) / 64);
    unsigned long long *sum;
    float *maxima;

    if (cudaMalloc(&sum, sizeof *sum) != cudaSuccess ||
        cudaMalloc(&maxima, (size_t)blocks * sizeof *maxima) != cudaSuccess)
        return;
    cudaMemset(sum, 0, sizeof *sum);
    first_level<<<(unsigned)(((long)N + 511) / 512), 256>>>(input, packed, maxima, N);
    add_up<<<(unsigned)min((blocks + 255) / 256, 1024), 256>>>(maxima, sum, blocks);
    second_level<<<(unsigned)(blocks + 255) / 256, 256>>>(maxima, sum, codebook, absmax_code, absmax2, offset,
                                                          blocks);
    cudaFree(maxima);
    cudaFree(sum);
}
