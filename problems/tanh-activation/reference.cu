/* tanh in double, rounded once. */
__global__ static void
tangents(const float *input, float *output, int N)
{
    const size_t step = (size_t)gridDim.x * blockDim.x;

    for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < (size_t)N; i += step)
        output[i] = (float)tanh((double)input[i]);
}

extern "C" void
solve(const float *input, float *output, int N)
{
    int blocks = (N + 255) / 256;

    tangents < <<blocks<4096 ? blocks : 4096, 256>>>(input, output, N);
}
