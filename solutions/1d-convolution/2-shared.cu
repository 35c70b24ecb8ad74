// warpjudge: 1d-convolution
// expect: accepted
// idea: Neighbouring outputs read nearly the same stretch of the signal again and again. Copy that
//   stretch and the weights to shared memory once for each block.
// A block copies the stretch that its outputs need to shared memory, and all weights. Loads from there
// take fewer cycles than loads from the cache. Lanes of a warp read neighbours, and one weight is read by
// all lanes at once, so that no banks conflict.
// H200: 768 µs, 1.28 times as fast as step 1
#include <cuda_runtime.h>

#define LONGEST 2047 // weights
#define THREADS 256

__global__ void
convolve(const float *input, const float *kernel, float *output, int input_size, int kernel_size)
{
    __shared__ float stretch[THREADS + LONGEST], weights[LONGEST];
    int first = blockIdx.x * THREADS, i = first + threadIdx.x;
    float sum = 0.0f;

    for (int j = threadIdx.x; j < THREADS + kernel_size - 1; j += THREADS)
        stretch[j] = first + j < input_size ? input[first + j] : 0.0f;
    for (int j = threadIdx.x; j < kernel_size; j += THREADS)
        weights[j] = kernel[j];
    __syncthreads();
    for (int j = 0; j < kernel_size; j++)
        sum += stretch[threadIdx.x + j] * weights[j];
    if (i <= input_size - kernel_size)
        output[i] = sum;
}

extern "C" void
solve(const float *input, const float *kernel, float *output, int input_size, int kernel_size)
{
    int count = input_size - kernel_size + 1;

    convolve<<<(count + THREADS - 1) / THREADS, THREADS>>>(input, kernel, output, input_size,
                                                           kernel_size);
}
