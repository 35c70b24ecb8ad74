// warpjudge: dropout
// expect: accepted
// One thread for each run of the generator: four elements, loaded and stored as one word each;
// the last thread has fewer and takes them one by one.
#include <cuda_runtime.h>

__device__ static uint4
philox(unsigned long long seed, unsigned block)
{
    unsigned c0 = block, c1 = 0, c2 = 0, c3 = 0;
    unsigned k0 = (unsigned)seed, k1 = (unsigned)(seed >> 32);

#pragma unroll
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
    return make_uint4(c0, c1, c2, c3);
}

__device__ static bool
keep(unsigned word, float p)
{
    return (word >> 8) * 5.9604644775390625e-8f >= p;
}

__global__ void
drop(const float *input, float *output, unsigned char *mask, int N, float p,
     unsigned long long seed)
{
    unsigned block = blockIdx.x * blockDim.x + threadIdx.x, first = 4 * block;

    if (first >= N)
        return;
    uint4 word = philox(seed, block);
    uchar4 kept = make_uchar4(keep(word.x, p), keep(word.y, p), keep(word.z, p), keep(word.w, p));
    float scale = 1.0f / (1.0f - p);

    if (first + 4 <= N) {
        float4 in = ((const float4 *)input)[block], out;

        out.x = kept.x ? in.x * scale : 0.0f;
        out.y = kept.y ? in.y * scale : 0.0f;
        out.z = kept.z ? in.z * scale : 0.0f;
        out.w = kept.w ? in.w * scale : 0.0f;
        ((float4 *)output)[block] = out;
        ((uchar4 *)mask)[block] = kept;
    } else {
        unsigned char keeps[3] = {kept.x, kept.y, kept.z};

        for (int k = 0; first + k < N; k++) {
            mask[first + k] = keeps[k];
            output[first + k] = keeps[k] ? input[first + k] * scale : 0.0f;
        }
    }
}

extern "C" void
solve(const float *input, float *output, unsigned char *mask, int N, float p,
      unsigned long long seed)
{
    drop<<<(N + 1023) / 1024, 256>>>(input, output, mask, N, p, seed);
}
