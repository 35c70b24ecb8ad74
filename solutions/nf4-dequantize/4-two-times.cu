// warpjudge: nf4-dequantize
// expect: accepted
// not-modelled: how many loads are on their way
// idea: A thread loads single bytes for four elements, and then only waits. Load whole words, shift the
//   codes out of them, and let a thread decode four elements two times, with all loads first.
// Against step 3: twice as many loads of a thread are on their way before it needs one. Codes come from
// two words of four bytes, of which both are often the same, and are shifted to their place. So a slice
// may begin at any element, at the same cost. With four times it takes 924 µs by CUDA events, with eight
// 917, and with two 911.
// On an H100, whose memory is slower, it takes 1.27 ms, and step 3 takes 1.28.
// H200: 934 µs, 1.10 times as fast as step 3
#include <cuda_runtime.h>

#define OWN 4     // neighbours that a thread decodes at a time
#define TIMES 2
#define THREADS 256

__constant__ float nf4[16] = {
    -1.0f,
    -0.6961928009986877f,
    -0.5250730514526367f,
    -0.39491748809814453f,
    -0.28444138169288635f,
    -0.18477343022823334f,
    -0.09105003625154495f,
    0.0f,
    0.07958029955625534f,
    0.16093020141124725f,
    0.24611230194568634f,
    0.33791524171829224f,
    0.44070982933044434f,
    0.5626170039176941f,
    0.7229568362236023f,
    1.0f,
};

// The codes of elements e to e + 3, the first in the highest of 16 bits.
__device__ static unsigned
codes_of(const unsigned *words, int e)
{
    unsigned here = __byte_perm(words[e / 8], 0, 0x0123);
    unsigned next = __byte_perm(words[(e + OWN - 1) / 8], 0, 0x0123);

    return __funnelshift_l(next, here, e % 8 * 4) >> 16;
}

// Element by element, for what is near the end.
__device__ static void
decode_slowly(const unsigned char *packed, const float *absmax, const float *level, float *output,
              int first, int begin, int end)
{
    for (int i = begin; i < end; i++) {
        int e = first + i;

        output[i] = level[e % 2 ? packed[e / 2] & 15 : packed[e / 2] >> 4] * absmax[e / 64];
    }
}

__global__ void __launch_bounds__(THREADS)
decode(const unsigned char *packed, const float *absmax, float *output, int N, int first, int count)
{
    __shared__ float level[16];
    int begin = (blockIdx.x * THREADS * TIMES + threadIdx.x) * OWN;
    int end = begin + ((TIMES - 1) * THREADS + 1) * OWN; // of the thread's last four
    unsigned codes[TIMES];
    float scale[TIMES], last[TIMES]; // of the first and of the last of four

    if (threadIdx.x < 16)
        level[threadIdx.x] = nf4[threadIdx.x];
    __syncthreads();
    if (end > count || first + end + 8 > N) { // the last word may have fewer than four bytes
        for (int k = 0; k < TIMES; k++, begin += THREADS * OWN)
            decode_slowly(packed, absmax, level, output, first, begin, min(begin + OWN, count));
        return;
    }
#pragma unroll
    for (int k = 0; k < TIMES; k++) {
        int e = first + begin + k * THREADS * OWN;

        codes[k] = codes_of((const unsigned *)packed, e);
        scale[k] = absmax[e / 64];
        last[k] = absmax[(e + OWN - 1) / 64];
    }
#pragma unroll
    for (int k = 0; k < TIMES; k++) {
        int i = begin + k * THREADS * OWN, e = (first + i) % 64;
        float4 values;

        values.x = level[codes[k] >> 12] * scale[k];
        values.y = level[codes[k] >> 8 & 15] * (e < 63 ? scale[k] : last[k]);
        values.z = level[codes[k] >> 4 & 15] * (e < 62 ? scale[k] : last[k]);
        values.w = level[codes[k] & 15] * last[k];
        *(float4 *)(output + i) = values;
    }
}

extern "C" void
solve(const unsigned char *packed, const float *absmax, float *output, int N, int first, int count)
{
    int own = OWN * TIMES * THREADS; // of a block

    decode<<<(count + own - 1) / own, THREADS>>>(packed, absmax, output, N, first, count);
}
