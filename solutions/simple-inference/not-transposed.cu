// warpjudge: simple-inference
// expect: wrong_answer
// Reads the weights as input_size rows of output_size: right for one input or one output
// feature only.
#include <cuda_runtime.h>

__global__ void
linear(const float *input, const float *weight, const float *bias, float *output,
       int batch_size, int input_size, int output_size)
{
    int feature = blockIdx.x * blockDim.x + threadIdx.x;
    int sample = blockIdx.y * blockDim.y + threadIdx.y;

    if (sample < batch_size && feature < output_size) {
        float sum = bias[feature];

        for (int i = 0; i < input_size; i++)
            sum += input[sample * input_size + i] * weight[i * output_size + feature];
        output[sample * output_size + feature] = sum;
    }
}

extern "C" void
solve(const float *input, const float *weight, const float *bias, float *output,
      int batch_size, int input_size, int output_size)
{
    dim3 block(16, 16);
    dim3 grid((output_size + 15) / 16, (batch_size + 15) / 16);

    linear<<<grid, block>>>(input, weight, bias, output, batch_size, input_size,
                            output_size);
    cudaDeviceSynchronize();
}
