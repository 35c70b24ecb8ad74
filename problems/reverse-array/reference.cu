/* Each thread swaps pairs of its own, so that nobody reads what another one writes. */
__global__ static void
reverse(float *input, int N)
{
    const size_t step = (size_t)gridDim.x * blockDim.x;

    for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < (size_t)(N / 2);
         i += step) {
        const float front = input[i];

        input[i] = input[N - 1 - i];
        input[N - 1 - i] = front;
    }
}

extern "C" void
solve(float *input, int N)
{
    reverse<<<4096, 256>>>(input, N);
}
