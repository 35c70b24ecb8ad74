// warpjudge: dropout
// expect: wrong_answer
// Runs the generator on the element's own number and takes word 0: good random numbers, but
// not those that are asked for.
#include <cuda_runtime.h>

__device__ static unsigned
random_word(unsigned long long seed, unsigned i)
{
    unsigned c0 = i, c1 = 0, c2 = 0, c3 = 0;
    unsigned k0 = (unsigned)seed, k1 = (unsigned)(seed >> 32);

    for (int round = 0; round < 10; round++) {
        unsigned high0 = __umulhi(0xD2511F53u, c0), low0 = 0xD2511F53u * c0;
        unsigned high1 = __umulhi(0xCD9E8D57u, c2), low1 = 0xCD9E8D57u * c2;

        c0 = high1 ^ c1 ^ k0;
        c1 = low1;
        c2 = high0 ^ c3 ^ k1;
        c3 = low0;
        k0 += 0x9E3779B9u;
        k1 += 0xBB67AE85u;
    }
    return c0;
}

__global__ void
drop(const float *input, float *output, unsigned char *mask, int N, float p,
     unsigned long long seed)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < N) {
        bool kept = (random_word(seed, i) >> 8) * 5.9604644775390625e-8f >= p;

        mask[i] = kept;
        output[i] = kept ? input[i] * (1.0f / (1.0f - p)) : 0.0f;
    }
}

extern "C" void
solve(const float *input, float *output, unsigned char *mask, int N, float p,
      unsigned long long seed)
{
    drop<<<(N + 255) / 256, 256>>>(input, output, mask, N, p, seed);
}
