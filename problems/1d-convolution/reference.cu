/* Each sum in double, rounded once. */
__global__ static void
convolve(const float *input, const float *kernel, float *output, int count,
         int kernel_size)
{
    int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    double sum = 0;

    if (i >= count)
        return;
    for (int j = 0; j < kernel_size; j++)
        sum += (double)input[i + j] * kernel[j];
    output[i] = (float)sum;
}

extern "C" void
solve(const float *input, const float *kernel, float *output, int input_size,
      int kernel_size)
{
    int count = input_size - kernel_size + 1;

    convolve<<<(count + 127) / 128, 128>>>(input, kernel, output, count, kernel_size);
}
