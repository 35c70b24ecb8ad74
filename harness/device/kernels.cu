// The arbiter's own kernels. They make inputs, poison outputs, compare answers, empty the
// caches, hold the GPU, and measure what it can do. The build embeds their PTX, which
// cuda_kernels.c loads.
//
// The host has the same element functions (numbers/gen_fn.h, numbers/compare_fn.h). So
// a reference in C and a submission on the GPU get the same bits.
#include "numbers/compare_fn.h"
#include "numbers/gen_fn.h"

typedef unsigned long long u64;

// Loops begin at first_index() and step by stride(), so that any grid covers any size.
static __device__ u64
first_index()
{
    return (u64)blockIdx.x * blockDim.x + threadIdx.x;
}

static __device__ u64
stride()
{
    return (u64)gridDim.x * blockDim.x;
}

// A thread makes four elements at a time, which are one Philox block.
extern "C" __global__ void
warpjudge_fill(const struct gen g, u64 seed, u64 count, void *dst)
{
    struct gen_words words;

    words.order.range = 0;
    for (u64 block = first_index(); 4 * block < count; block += stride()) {
        gen_block(&g, seed, block, &words);
        for (u64 i = 4 * block; i < 4 * block + 4 && i < count; i++)
            gen_store(g.dtype, gen_element(&g, &words, i), dst, i);
    }
}

// dst is aligned to 16 bytes, and `blocks` times 16 bytes long.
extern "C" __global__ void
warpjudge_poison(u64 seed, u64 blocks, uint4 *dst)
{
    for (u64 block = first_index(); block < blocks; block += stride()) {
        struct philox p = gen_poison_block(seed, block);

        dst[block] = make_uint4(p.word[0], p.word[1], p.word[2], p.word[3]);
    }
}

// The caller has set *out to compare_nothing(). Errors are not negative, and such doubles
// have the order of their bits, so an atomic maximum of the bits finds the largest.
extern "C" __global__ void
warpjudge_compare(const struct compare_rule rule, const void *got, const void *want,
                  u64 count, struct compare_result *out)
{
    struct compare_result mine = compare_nothing();

    for (u64 i = first_index(); i < count; i += stride()) {
        if (!compare_element(&rule, got, want, i))
            compare_count(&mine, gen_read(rule.dtype, got, i),
                          gen_read(rule.dtype, want, i), i);
    }
    if (mine.wrong == 0)
        return;
    atomicAdd((u64 *)&out->wrong, (u64)mine.wrong);
    if (mine.nan != 0)
        atomicAdd((u64 *)&out->nan, (u64)mine.nan);
    if (mine.inf != 0)
        atomicAdd((u64 *)&out->inf, (u64)mine.inf);
    atomicMin((u64 *)&out->first, (u64)mine.first);
    atomicMax((u64 *)&out->max_abs_error, (u64)__double_as_longlong(mine.max_abs_error));
}

// Reads and rewrites a buffer that is larger than the last-level cache, so that no other
// line stays in the cache. It changes every word, because a line without changes could be
// kept elsewhere.
extern "C" __global__ void
warpjudge_flush(u64 words, uint4 *buffer)
{
    for (u64 i = first_index(); i < words; i += stride()) {
        uint4 v = buffer[i];

        v.x += 1;
        v.y ^= v.x;
        buffer[i] = v;
    }
}

// Spins for ns, or until the host has let go of hold `number`. If let_go is NULL it spins
// for ns. The bound on cycles ends it even if the timer fails.
static __device__ void
spin(u64 ns, const volatile int *let_go, int number)
{
    const long long cycles = clock64();
    u64 begin, now;

    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(begin));
    do
        asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
    while (now - begin < ns && (u64)(clock64() - cycles) < 4 * ns &&
           (let_go == NULL || *let_go - number < 0));
}

// Holds the GPU. It tells the host that it has begun, and ends ns after the host has let go
// of it. If the host does not let go within wait_ns, it ends ns after that. Both words are
// in host memory.
extern "C" __global__ void
warpjudge_hold(u64 wait_ns, u64 ns, int number, volatile int *begun,
               const volatile int *let_go)
{
    *begun = number;
    __threadfence_system();
    spin(wait_ns, let_go, number);
    spin(ns, NULL, 0);
}

// --- calibration: what the GPU can do at this moment (cuda_rates.c) ----------------------

extern "C" __global__ void
warpjudge_copy(u64 words, const uint4 *from, uint4 *to)
{
    for (u64 i = first_index(); i < words; i += stride())
        to[i] = from[i];
}

// `from` holds zeros, so nothing is written. The test only makes the compiler keep the
// loads.
extern "C" __global__ void
warpjudge_read(u64 words, const uint4 *from, unsigned *out)
{
    unsigned all = 0;

    for (u64 i = first_index(); i < words; i += stride()) {
        uint4 v = from[i];

        all |= v.x | v.y | v.z | v.w;
    }
    if (all != 0)
        *out = all;
}

// Each thread has eight chains of fused multiply-adds. With as many warps as fit, that
// hides their latency on every architecture. A round is 128 of them. `factor` is 1, which
// the compiler does not know.
extern "C" __global__ void
warpjudge_fma(u64 rounds, float factor, float *out)
{
    float x[8];

    for (int i = 0; i < 8; i++)
        x[i] = factor * (float)i;
    for (u64 round = 0; round < rounds; round++) {
#pragma unroll
        for (int step = 0; step < 16; step++) {
#pragma unroll
            for (int i = 0; i < 8; i++)
                x[i] = __fmaf_rn(x[i], factor, factor);
        }
    }
    if (x[0] + x[1] + x[2] + x[3] + x[4] + x[5] + x[6] + x[7] < 0)
        *out = x[0];
}
