/* In double, rounded once; 1 + erf(x) is taken as erfc(-x), which does not cancel. */
__global__ static void
gate(const float *input, float *output, int N)
{
    const size_t step = (size_t)gridDim.x * blockDim.x;

    for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < (size_t)(N / 2);
         i += step) {
        const double a = input[i], b = input[i + N / 2];

        output[i] = (float)(a * b / 2 * erfc(-b / sqrt(2.0)));
    }
}

extern "C" void
solve(const float *input, float *output, int N)
{
    gate<<<4096, 256>>>(input, output, N);
}
