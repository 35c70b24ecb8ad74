// warpjudge: 1d-convolution
// expect: accepted
// One thread for each output.
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
