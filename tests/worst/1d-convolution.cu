// warpjudge: 1d-convolution
// A thread for each element.
__global__ void
each(const float *input, const float *kernel, float *output, int input_size, int kernel_size)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    float sum = 0;

    if (i > input_size - kernel_size)
        return;
    for (int k = 0; k < kernel_size; k++)
        sum += input[i + k] * kernel[k];
    output[i] = sum;
}

extern "C" void
solve(const float *input, const float *kernel, float *output, int input_size, int kernel_size)
{
    each<<<(input_size + 255) / 256, 256>>>(input, kernel, output, input_size, kernel_size);
}
