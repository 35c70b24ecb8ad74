// warpjudge: int8-symmetric-quantize
// expect: accepted
// Multiplies by the reciprocal of the scale.
#include <cuda_runtime.h>
#include <stdint.h>

__global__ void
find_largest(const float *input, int *largest, int N)
{
    float mine = 0.0f;

    for (long i = (long)blockIdx.x * blockDim.x + threadIdx.x; i < N; i += (long)gridDim.x * blockDim.x)
        mine = fmaxf(mine, fabsf(input[i]));
    for (int offset = 16; offset > 0; offset /= 2)
        mine = fmaxf(mine, __shfl_xor_sync(0xFFFFFFFFu, mine, offset));
    if (threadIdx.x % 32 == 0)
        atomicMax(largest, __float_as_int(mine));
}

__global__ void
quantize(const float *input, const int *largest, int8_t *output, float *scale, int N)
{
    long i = (long)blockIdx.x * blockDim.x + threadIdx.x;
    float top = __int_as_float(*largest);
    float step = top > 0.0f ? top / 127.0f : 1.0f;

    if (i == 0)
        *scale = step;
    if (i < N)
        output[i] = (int8_t)fminf(127.0f, fmaxf(-127.0f, rintf(input[i] * (1.0f / step))));
}

extern "C" void
solve(const float *input, int8_t *output, float *scale, int N)
{
    int blocks = (N + 255) / 256;
    int *largest;

    cudaMalloc(&largest, sizeof(int));
    cudaMemset(largest, 0, sizeof(int));
    find_largest<<<min(blocks, 1024), 256>>>(input, largest, N);
    quantize<<<blocks, 256>>>(input, largest, output, scale, N);
    cudaFree(largest);
}
