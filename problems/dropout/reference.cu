/* Philox4x32-10 (Salmon et al., SC'11): one thread for four elements; the scale in double. */
#include <stdint.h>

__global__ static void
drop(const float *input, float *output, unsigned char *mask, int N, float p, uint64_t seed)
{
    size_t block = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    uint32_t k0 = (uint32_t)seed, k1 = (uint32_t)(seed >> 32);
    uint32_t c[4] = {(uint32_t)block, (uint32_t)(block >> 32), 0, 0};

    for (int round = 0; round < 10; round++) {
        uint64_t p0 = (uint64_t)0xD2511F53 * c[0], p1 = (uint64_t)0xCD9E8D57 * c[2];

        c[0] = (uint32_t)(p1 >> 32) ^ c[1] ^ k0;
        c[1] = (uint32_t)p1;
        c[2] = (uint32_t)(p0 >> 32) ^ c[3] ^ k1;
        c[3] = (uint32_t)p0;
        k0 += 0x9E3779B9;
        k1 += 0xBB67AE85;
    }
    for (int w = 0; w < 4; w++) {
        size_t i = 4 * block + w;

        if (i < (size_t)N) {
            mask[i] = (float)(c[w] >> 8) * 0x1p-24f >= p;
            output[i] = mask[i] ? (float)(input[i] / (1 - (double)p)) : 0;
        }
    }
}

extern "C" void
solve(const float *input, float *output, unsigned char *mask, int N, float p, uint64_t seed)
{
    drop<<<(N + 1023) / 1024, 256>>>(input, output, mask, N, p, seed);
}
