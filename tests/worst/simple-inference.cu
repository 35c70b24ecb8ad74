// warpjudge: simple-inference
// One thread does everything, in double.
__global__ void
serial(const float *input, const float *weight, const float *bias, float *output,
       int batch_size, int input_size, int output_size)
{
    for (long b = 0; b < batch_size; b++) {
        for (long o = 0; o < output_size; o++) {
            double sum = bias[o];

            for (long i = 0; i < input_size; i++)
                sum += (double)input[b * input_size + i] * weight[o * input_size + i];
            output[b * output_size + o] = (float)sum;
        }
    }
}

extern "C" void
solve(const float *input, const float *weight, const float *bias, float *output, int batch_size,
      int input_size, int output_size)
{
    serial<<<1, 1>>>(input, weight, bias, output, batch_size, input_size, output_size);
}
