/* FNV-1a over the four bytes of a word, lowest first, again and again: a thread for each. */
__device__ static unsigned
fnv1a(unsigned word)
{
    unsigned hash = 2166136261u;

    for (int shift = 0; shift < 32; shift += 8)
        hash = (hash ^ (word >> shift & 255)) * 16777619u;
    return hash;
}

__global__ static void
rounds(const int *input, unsigned *output, int N, int R)
{
    int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);

    if (i >= N)
        return;
    unsigned hash = (unsigned)input[i];

    for (int round = 0; round < R; round++)
        hash = fnv1a(hash);
    output[i] = hash;
}

extern "C" void
solve(const int *input, unsigned int *output, int N, int R)
{
    rounds<<<(unsigned)(N + 255) / 256, 256>>>(input, output, N, R);
}
