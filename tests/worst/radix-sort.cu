// warpjudge: radix-sort
// One thread sorts by one bit after the other.
__global__ void
serial(const unsigned *input, unsigned *output, unsigned *other, int N)
{
    unsigned *from = output, *to = other;

    for (int i = 0; i < N; i++)
        from[i] = input[i];
    for (int bit = 0; bit < 32; bit++) {
        int zeros = 0, ones;

        for (int i = 0; i < N; i++)
            zeros += ((from[i] >> bit) & 1) == 0;
        ones = zeros;
        zeros = 0;
        for (int i = 0; i < N; i++)
            to[((from[i] >> bit) & 1) == 0 ? zeros++ : ones++] = from[i];
        unsigned *swapped = from;
        from = to;
        to = swapped;
    }
}

extern "C" void
solve(const unsigned *input, unsigned *output, int N)
{
    unsigned *other;

    cudaMalloc(&other, N * sizeof *other);
    serial<<<1, 1>>>(input, output, other, N);
    cudaFree(other);
}
