/* x sigmoid(beta x) in double, rounded once. */
__global__ static void
swish(const float *input, float *output, int N, double beta)
{
    const size_t step = (size_t)gridDim.x * blockDim.x;

    for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < (size_t)N; i += step)
        output[i] = (float)(input[i] / (1 + exp(-beta * input[i])));
}

extern "C" void
solve(const float *input, float *output, int N, float beta)
{
    int blocks = (N + 255) / 256;

    swish < <<blocks<4096 ? blocks : 4096, 256>>>(input, output, N, beta);
}
