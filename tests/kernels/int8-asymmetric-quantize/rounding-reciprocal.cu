// warpjudge: int8-asymmetric-quantize
// expect: accepted
// Multiplies by the reciprocal of the scale.
#include <cuda_runtime.h>
#include <stdint.h>

// range[0]: bits of -lo, range[1]: bits of hi
__global__ void
find_range(const float *input, int *range, int N)
{
    float below = 0.0f, above = 0.0f;

    for (long i = (long)blockIdx.x * blockDim.x + threadIdx.x; i < N; i += (long)gridDim.x * blockDim.x) {
        below = fmaxf(below, -input[i]);
        above = fmaxf(above, input[i]);
    }
    for (int offset = 16; offset > 0; offset /= 2) {
        below = fmaxf(below, __shfl_xor_sync(0xFFFFFFFFu, below, offset));
        above = fmaxf(above, __shfl_xor_sync(0xFFFFFFFFu, above, offset));
    }
    if (threadIdx.x % 32 == 0) {
        atomicMax(&range[0], __float_as_int(fabsf(below)));
        atomicMax(&range[1], __float_as_int(fabsf(above)));
    }
}

__global__ void
quantize(const float *input, const int *range, int8_t *output, float *scale, int *zero_point, int N)
{
    long i = (long)blockIdx.x * blockDim.x + threadIdx.x;
    float lo = -__int_as_float(range[0]), hi = __int_as_float(range[1]);
    float step = 1.0f, zero = 0.0f;

    if (hi > lo) {
        step = (hi - lo) / 255.0f;
        zero = fminf(127.0f, fmaxf(-128.0f, rintf(-128.0f - lo * (1.0f / step))));
    }
    if (i == 0) {
        *scale = step;
        *zero_point = (int)zero;
    }
    if (i < N)
        output[i] = (int8_t)fminf(127.0f, fmaxf(-128.0f, rintf(input[i] * (1.0f / step)) + zero));
}

extern "C" void
solve(const float *input, int8_t *output, float *scale, int *zero_point, int N)
{
    int blocks = (N + 255) / 256;
    int *range;

    cudaMalloc(&range, 2 * sizeof(int));
    cudaMemset(range, 0, 2 * sizeof(int));
    find_range<<<min(blocks, 1024), 256>>>(input, range, N);
    quantize<<<blocks, 256>>>(input, range, output, scale, zero_point, N);
    cudaFree(range);
}
