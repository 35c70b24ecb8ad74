/* x Phi(x) in double, rounded once. erfc keeps the digits of the negative tail. */
__global__ static void
gelu(const float *input, float *output, int N)
{
    const size_t step = (size_t)gridDim.x * blockDim.x;

    for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < (size_t)N; i += step)
        output[i] = (float)(0.5 * input[i] * erfc(-input[i] * 0.70710678118654752440));
}

extern "C" void
solve(const float *input, float *output, int N)
{
    int blocks = (N + 255) / 256;

    gelu < <<blocks<4096 ? blocks : 4096, 256>>>(input, output, N);
}
