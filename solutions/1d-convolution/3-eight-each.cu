// warpjudge: 1d-convolution
// expect: accepted
// idea: Each product still needs two loads from shared memory, and one of them is a weight that all
//   outputs need. Let a thread make eight outputs, so that a weight serves eight products.
// A thread makes eight outputs, as far apart as the block has threads, so that lanes still read
// neighbours. Nine loads from shared memory stand against eight products, where there were sixteen. The
// eight sums do not wait for each other.
// H200: 488 µs, 1.58 times as fast as step 2
#include <cuda_runtime.h>

#define LONGEST 2047 // weights
#define THREADS 128
#define EACH 8 // outputs of a thread
#define OUTPUTS (THREADS * EACH)

__global__ void
convolve(const float *input, const float *kernel, float *output, int input_size, int kernel_size)
{
    __shared__ float stretch[OUTPUTS + LONGEST], weights[LONGEST];
    int first = blockIdx.x * OUTPUTS, t = threadIdx.x;
    float sum[EACH] = {};

    for (int j = t; j < OUTPUTS + kernel_size - 1; j += THREADS)
        stretch[j] = first + j < input_size ? input[first + j] : 0.0f;
    for (int j = t; j < kernel_size; j += THREADS)
        weights[j] = kernel[j];
    __syncthreads();
    for (int j = 0; j < kernel_size; j++) {
        float weight = weights[j];

#pragma unroll
        for (int e = 0; e < EACH; e++)
            sum[e] += stretch[t + e * THREADS + j] * weight;
    }
#pragma unroll
    for (int e = 0; e < EACH; e++)
        if (first + t + e * THREADS <= input_size - kernel_size)
            output[first + t + e * THREADS] = sum[e];
}

extern "C" void
solve(const float *input, const float *kernel, float *output, int input_size, int kernel_size)
{
    int count = input_size - kernel_size + 1;

    convolve<<<(count + OUTPUTS - 1) / OUTPUTS, THREADS>>>(input, kernel, output, input_size,
                                                           kernel_size);
}
