/* x Phi(x) in double, rounded once. erfc keeps the digits of the negative tail. */
__global__ static void
gelu(const float *input, float *output, int N)
{
    int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);

    if (i < N)
        output[i] = (float)(0.5 * input[i] * erfc(-input[i] * 0.70710678118654752440));
}

extern "C" void
solve(const float *input, float *output, int N)
{
    gelu<<<(N + 255) / 256, 256>>>(input, output, N);
}
