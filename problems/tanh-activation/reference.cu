/* tanh in double, rounded once. */
__global__ static void
tangents(const float *input, float *output, int N)
{
    int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);

    if (i < N)
        output[i] = (float)tanh((double)input[i]);
}

extern "C" void
solve(const float *input, float *output, int N)
{
    tangents<<<(N + 255) / 256, 256>>>(input, output, N);
}
