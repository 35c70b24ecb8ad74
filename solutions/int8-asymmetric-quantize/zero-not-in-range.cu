// warpjudge: int8-asymmetric-quantize
// expect: wrong_answer
// The range is that of the elements alone: wrong where all of them have the same sign.
#include <cuda_runtime.h>
#include <stdint.h>

// One block: range[0] = smallest, range[1] = largest.
__global__ void
find_range(const float *input, float *range, int N)
{
    __shared__ float low[1024], high[1024];
    int t = threadIdx.x;

    low[t] = high[t] = input[0];
    for (long i = t; i < N; i += 1024) {
        low[t] = fminf(low[t], input[i]);
        high[t] = fmaxf(high[t], input[i]);
    }
    __syncthreads();
    for (int half = 512; half > 0; half /= 2) {
        if (t < half) {
            low[t] = fminf(low[t], low[t + half]);
            high[t] = fmaxf(high[t], high[t + half]);
        }
        __syncthreads();
    }
    if (t == 0) {
        range[0] = low[0];
        range[1] = high[0];
    }
}

__global__ void
quantize(const float *input, const float *range, int8_t *output, float *scale, int *zero_point, int N)
{
    long i = (long)blockIdx.x * blockDim.x + threadIdx.x;
    float step = 1.0f, zero = 0.0f;

    if (range[1] > range[0]) {
        step = (range[1] - range[0]) / 255.0f;
        zero = fminf(127.0f, fmaxf(-128.0f, rintf(-128.0f - range[0] / step)));
    }
    if (i == 0) {
        *scale = step;
        *zero_point = (int)zero;
    }
    if (i < N)
        output[i] = (int8_t)fminf(127.0f, fmaxf(-128.0f, rintf(input[i] / step) + zero));
}

extern "C" void
solve(const float *input, int8_t *output, float *scale, int *zero_point, int N)
{
    float *range;

    cudaMalloc(&range, 2 * sizeof(float));
    find_range<<<1, 1024>>>(input, range, N);
    quantize<<<(N + 255) / 256, 256>>>(input, range, output, scale, zero_point, N);
    cudaFree(range);
}
