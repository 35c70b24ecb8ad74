/* x sigmoid(beta x) in double, rounded once. */
__global__ static void
swish(const float *input, float *output, int N, double beta)
{
    int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);

    if (i < N)
        output[i] = (float)(input[i] / (1 + exp(-beta * input[i])));
}

extern "C" void
solve(const float *input, float *output, int N, float beta)
{
    swish<<<(N + 255) / 256, 256>>>(input, output, N, beta);
}
