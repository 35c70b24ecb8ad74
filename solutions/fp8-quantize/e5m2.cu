// warpjudge: fp8-quantize
// expect: wrong_answer
// The bytes are of the other FP8 format, e5m2.
#include <cuda_fp8.h>
#include <stdint.h>

__global__ void
largest(const float *input, unsigned *bits, int N)
{
    unsigned most = 0;

    for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < N; i += gridDim.x * blockDim.x)
        most = max(most, __float_as_uint(fabsf(input[i])));
    for (int offset = 16; offset > 0; offset /= 2)
        most = max(most, __shfl_xor_sync(0xFFFFFFFFu, most, offset));
    if (threadIdx.x % 32 == 0)
        atomicMax(bits, most);
}

__global__ void
quantize(const float *input, uint8_t *output, float *inv_scale, const unsigned *bits, int N)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, e = 0, k;

    if (*bits != 0) {
        float m = frexpf(__uint_as_float(*bits), &k); // amax = m * 2^k, 0.5 <= m < 1

        e = m <= 0.875f ? 9 - k : 8 - k;
    }
    if (i < N)
        output[i] = __nv_cvt_float_to_fp8(ldexpf(input[i], e), __NV_SATFINITE, __NV_E5M2);
    if (i == 0)
        inv_scale[0] = ldexpf(1.0f, -e);
}

extern "C" void
solve(const float *input, uint8_t *output, float *inv_scale, int N)
{
    unsigned *bits;

    cudaMalloc(&bits, sizeof(unsigned));
    cudaMemset(bits, 0, sizeof(unsigned));
    largest<<<512, 256>>>(input, bits, N);
    quantize<<<(N + 255) / 256, 256>>>(input, output, inv_scale, bits, N);
    cudaFree(bits);
}
