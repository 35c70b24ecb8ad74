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

// --- inputs ------------------------------------------------------------------------------

// A Philox block makes four elements, and most kinds are made four at a time. Then the kind
// and the type are looked at once, and their words stay in registers. One instruction stores
// all four, or two if the type has 64 bits.
template <uint8_t KIND>
static __device__ void
make_four(const struct gen *g, struct gen_words *words, u64 block, double v[4])
{
#pragma unroll
    for (int k = 0; k < 4; k++)
        v[k] = gen_plain_element(g, KIND, words, 4 * block + k);
}

// Is this kind made four at a time?
static __device__ bool
is_made_in_fours(const struct gen *g)
{
    return g->scatter == 0 && (g->kind == GEN_CONSTANT || gen_needs_words(g));
}

static __device__ void
make_any_four(const struct gen *g, struct gen_words *words, u64 block, double v[4])
{
    switch ((enum gen_kind)g->kind) {
    case GEN_CONSTANT:
        return make_four<GEN_CONSTANT>(g, words, block, v);
    case GEN_UNIFORM:
        return make_four<GEN_UNIFORM>(g, words, block, v);
    case GEN_INTEGER:
        return make_four<GEN_INTEGER>(g, words, block, v);
    case GEN_NORMAL:
        return make_four<GEN_NORMAL>(g, words, block, v);
    case GEN_MOSTLY:
        return make_four<GEN_MOSTLY>(g, words, block, v);
    case GEN_CHOICE:
        return make_four<GEN_CHOICE>(g, words, block, v);
    case GEN_SORTED:
        return make_four<GEN_SORTED>(g, words, block, v);
    default:
        break;
    }
}

template <uint8_t DTYPE>
static __device__ void
store_four(const double v[4], void *dst, u64 block)
{
    const u64 a = gen_bits(DTYPE, v[0]), b = gen_bits(DTYPE, v[1]),
              c = gen_bits(DTYPE, v[2]), d = gen_bits(DTYPE, v[3]);

    if (gen_size(DTYPE) == 8) {
        ((ulonglong2 *)dst)[2 * block] = make_ulonglong2(a, b);
        ((ulonglong2 *)dst)[2 * block + 1] = make_ulonglong2(c, d);
    } else if (gen_size(DTYPE) == 4) {
        ((uint4 *)dst)[block] =
            make_uint4((unsigned)a, (unsigned)b, (unsigned)c, (unsigned)d);
    } else if (gen_size(DTYPE) == 2) {
        ((uint2 *)dst)[block] =
            make_uint2((unsigned)(a | b << 16), (unsigned)(c | d << 16));
    } else {
        ((unsigned *)dst)[block] = (unsigned)(a | b << 8 | c << 16 | d << 24);
    }
}

static __device__ void
store_any_four(uint8_t dtype, const double v[4], void *dst, u64 block)
{
    switch ((enum dtype)dtype) {
#define X(name, text, size, ctype, class)                                                \
    case DTYPE_##name:                                                                   \
        return store_four<DTYPE_##name>(v, dst, block);
        DTYPES(X)
#undef X
    case DTYPE_COUNT:
        break;
    }
}

// dst is aligned to 16 bytes.
extern "C" __global__ void
warpjudge_fill(const struct gen g, u64 seed, u64 count, void *dst)
{
    const u64 fours = is_made_in_fours(&g) ? count / 4 : 0;
    struct gen_words words;

    words.order.range = 0;
    for (u64 block = first_index(); 4 * block < count; block += stride()) {
        gen_block(&g, seed, block, &words);
        if (block < fours) {
            double v[4];

            make_any_four(&g, &words, block, v);
            if (g.negate != 0) {
                for (int k = 0; k < 4; k++)
                    v[k] = -v[k];
            }
            store_any_four(g.dtype, v, dst, block);
            continue;
        }
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

// --- comparing ---------------------------------------------------------------------------

static __device__ void
compare_some(const struct compare_rule *rule, const void *got, const void *want, u64 begin,
             u64 end, struct compare_result *mine)
{
    for (u64 i = begin; i < end; i++) {
        if (!compare_element(rule, got, want, i))
            compare_count(mine, gen_read(rule->dtype, got, i),
                          gen_read(rule->dtype, want, i), i);
    }
}

static __device__ bool
are_same(uint4 a, uint4 b)
{
    return ((a.x ^ b.x) | (a.y ^ b.y) | (a.z ^ b.z) | (a.w ^ b.w)) == 0;
}

// Equal bits are right under every rule, also those of a NaN. So elements are looked at one
// by one only where 16 bytes differ. got and want are aligned to 16 bytes. The caller has set *out
// to compare_nothing(). Errors are not negative, and such doubles have the order of their
// bits, so an atomic maximum of the bits finds the largest.
extern "C" __global__ void
warpjudge_compare(const struct compare_rule rule, const void *got, const void *want,
                  u64 count, struct compare_result *out)
{
    const u64 each = 16 / gen_size(rule.dtype);
    struct compare_result mine = compare_nothing();

    for (u64 word = first_index(); each * word < count; word += stride()) {
        const u64 begin = each * word, end = begin + each;

        if (end > count || !are_same(((const uint4 *)got)[word], ((const uint4 *)want)[word]))
            compare_some(&rule, got, want, begin, end < count ? end : count, &mine);
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
