// warpjudge: 1d-convolution
// expect: accepted
// idea: The slowest way comes first, to measure the others against. Give each output a thread, which
//   reads its stretch of the signal and all weights from memory.
// One thread for each output. Each product needs two loads, of a signal's value and of a weight. They
// come from the caches, but each is an instruction, and the multiplication waits for both.
// H200: 981 µs
#include <cuda_runtime.h>

__global__ void
convolve(const float *input, const float *kernel, float *output, int count,
         int kernel_size)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < count) {
        float sum = 0.0f;

        for (int j = 0; j < kernel_size; j++)
            sum += input[i + j] * kernel[j];
        output[i] = sum;
    }
}

extern "C" void
solve(const float *input, const float *kernel, float *output, int input_size,
      int kernel_size)
{
    int count = input_size - kernel_size + 1;

    convolve<<<count / 256 + 1, 256>>>(input, kernel, output, count, kernel_size);
    cudaDeviceSynchronize();
}
