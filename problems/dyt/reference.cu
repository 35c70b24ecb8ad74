/* In double, rounded once. */
__global__ static void
dynamic_tanh(const float *input, const float *gamma, const float *beta, float *output,
             size_t count, int C, double alpha)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;

    if (i < count) {
        size_t c = i % (size_t)C;

        output[i] = (float)(gamma[c] * tanh(alpha * input[i]) + beta[c]);
    }
}

extern "C" void
solve(const float *input, const float *gamma, const float *beta, float *output, int N, int C,
      float alpha)
{
    size_t count = (size_t)N * (size_t)C;

    dynamic_tanh<<<(unsigned)((count + 255) / 256), 256>>>(input, gamma, beta, output, count,
                                                           C, alpha);
}
