// warpjudge: dropout
// One thread does everything, in double.
#include <stdint.h>

__device__ void
philox(uint64_t block, uint64_t seed, uint32_t word[4])
{
    uint32_t k0 = (uint32_t)seed, k1 = (uint32_t)(seed >> 32);
    uint32_t c0 = (uint32_t)block, c1 = (uint32_t)(block >> 32), c2 = 0, c3 = 0;

    for (int round = 0; round < 10; round++) {
        uint64_t p0 = (uint64_t)0xD2511F53 * c0, p1 = (uint64_t)0xCD9E8D57 * c2;

        c0 = (uint32_t)(p1 >> 32) ^ c1 ^ k0;
        c1 = (uint32_t)p1;
        c2 = (uint32_t)(p0 >> 32) ^ c3 ^ k1;
        c3 = (uint32_t)p0;
        k0 += 0x9E3779B9;
        k1 += 0xBB67AE85;
    }
    word[0] = c0;
    word[1] = c1;
    word[2] = c2;
    word[3] = c3;
}

__global__ void
serial(const float *input, float *output, uint8_t *mask, int N, float p, uint64_t seed)
{
    uint32_t word[4];

    for (long i = 0; i < N; i++) {
        if (i % 4 == 0)
            philox((uint64_t)i / 4, seed, word);
        mask[i] = (float)(word[i % 4] >> 8) * 0x1p-24f >= p;
        output[i] = mask[i] ? (float)(input[i] / (1 - (double)p)) : 0;
    }
}

extern "C" void
solve(const float *input, float *output, uint8_t *mask, int N, float p, uint64_t seed)
{
    serial<<<1, 1>>>(input, output, mask, N, p, seed);
}
