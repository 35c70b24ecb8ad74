// warpjudge: rainbow-table
// A thread for each number.
__global__ void
each(const int *input, unsigned *output, int N, int R)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    unsigned word;

    if (i >= N)
        return;
    word = input[i];
    for (int r = 0; r < R; r++) {
        unsigned hash = 2166136261u;

        for (int b = 0; b < 4; b++)
            hash = (hash ^ ((word >> 8 * b) & 255)) * 16777619u;
        word = hash;
    }
    output[i] = word;
}

extern "C" void
solve(const int *input, unsigned *output, int N, int R)
{
    each<<<(N + 255) / 256, 256>>>(input, output, N, R);
}
