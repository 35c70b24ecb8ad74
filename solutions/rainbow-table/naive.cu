// warpjudge: rainbow-table
// expect: accepted
// One thread for each number.
#include <cuda_runtime.h>

__device__ unsigned
fnv1a(unsigned word)
{
    unsigned hash = 2166136261u;

    for (int byte = 0; byte < 4; byte++) {
        hash = (hash ^ (word & 255)) * 16777619u;
        word >>= 8;
    }
    return hash;
}

__global__ void
rounds(const int *input, unsigned *output, int N, int R)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i >= N)
        return;
    unsigned hash = input[i];

    for (int round = 0; round < R; round++)
        hash = fnv1a(hash);
    output[i] = hash;
}

extern "C" void
solve(const int *input, unsigned int *output, int N, int R)
{
    rounds<<<(N + 255) / 256, 256>>>(input, output, N, R);
}
