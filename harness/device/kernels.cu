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

template <int SIZE>
static __device__ void
store_four(u64 a, u64 b, u64 c, u64 d, void *dst, u64 block)
{
    if (SIZE == 8) {
        ((ulonglong2 *)dst)[2 * block] = make_ulonglong2(a, b);
        ((ulonglong2 *)dst)[2 * block + 1] = make_ulonglong2(c, d);
    } else if (SIZE == 4) {
        ((uint4 *)dst)[block] =
            make_uint4((unsigned)a, (unsigned)b, (unsigned)c, (unsigned)d);
    } else if (SIZE == 2) {
        ((uint2 *)dst)[block] =
            make_uint2((unsigned)(a | b << 16), (unsigned)(c | d << 16));
    } else {
        ((unsigned *)dst)[block] = (unsigned)(a | b << 8 | c << 16 | d << 24);
    }
}

// Stores the bits of four elements, which have no bits beyond the type's.
static __device__ void
store_bits(int size, const u64 v[4], void *dst, u64 block)
{
    if (size == 8)
        store_four<8>(v[0], v[1], v[2], v[3], dst, block);
    else if (size == 4)
        store_four<4>(v[0], v[1], v[2], v[3], dst, block);
    else if (size == 2)
        store_four<2>(v[0], v[1], v[2], v[3], dst, block);
    else
        store_four<1>(v[0], v[1], v[2], v[3], dst, block);
}

// The three fills below make the same bits as fill_any(), of the inputs that are large in many
// problems. They convert nothing that does not change, and have 64-bit numbers only where a
// product needs them. Each makes `fours` blocks of four elements.

// --- a constant, or a list again and again ----------------------------------------------

static __device__ bool
is_repeated(const struct gen *g)
{
    return g->scatter == 0 && (g->kind == GEN_CONSTANT || g->kind == GEN_LIST);
}

static __device__ void
fill_repeated(const struct gen *g, u64 fours, void *dst)
{
    __shared__ u64 list[GEN_LIST_MAX];
    const unsigned length = g->kind == GEN_LIST ? g->list_count : 1;
    const int size = gen_size(g->dtype);

    for (unsigned k = threadIdx.x; k < length; k += blockDim.x) {
        const double v = g->kind == GEN_LIST ? g->list[k] : g->a;

        list[k] = gen_bits(g->dtype, g->negate != 0 ? -v : v);
    }
    __syncthreads();
    for (u64 block = first_index(); block < fours; block += stride()) {
        const u64 first = 4 * block;
        unsigned at = (first >> 32) == 0 ? (unsigned)first % length
                                         : (unsigned)(first % length);
        u64 bits[4];

#pragma unroll
        for (int k = 0; k < 4; k++) {
            bits[k] = list[at];
            at = at + 1 < length ? at + 1 : 0;
        }
        store_bits(size, bits, dst, block);
    }
}

// --- whole numbers ----------------------------------------------------------------------

// Does the type hold all whole numbers of lo..hi, in 32 bits at most?
static __device__ bool
holds_whole(uint8_t dtype, double lo, double hi)
{
    switch ((enum dtype)dtype) {
    case DTYPE_I8:
        return lo >= -128 && hi <= 127;
    case DTYPE_E2M1X2:
    case DTYPE_U8:
        return lo >= 0 && hi <= 255;
    case DTYPE_I16:
        return lo >= -32768 && hi <= 32767;
    case DTYPE_U16:
        return lo >= 0 && hi <= 65535;
    case DTYPE_I32:
        return lo >= -2147483648.0 && hi <= 2147483647.0;
    case DTYPE_U32:
        return lo >= 0 && hi <= 4294967295.0;
    default:
        return false;
    }
}

static __device__ bool
is_whole(const struct gen *g)
{
    if (g->scatter != 0 || g->negate != 0)
        return false;
    return g->kind == GEN_INTEGER ? holds_whole(g->dtype, g->a, g->b)
                                  : g->kind == GEN_MOSTLY && g->integer != 0 &&
                                        holds_whole(g->dtype, g->c, g->d);
}

// gen_integer() modulo 2^32, and GEN_MOSTLY's choice as a comparison of whole numbers: word *
// 2^-32 < share says that word < share * 2^32, and both products are exact.
template <bool MOSTLY>
static __device__ void
fill_whole(const struct gen *g, u64 seed, u64 fours, void *dst)
{
    const long long lo = (long long)(MOSTLY ? g->c : g->a),
                    hi = (long long)(MOSTLY ? g->d : g->b);
    const unsigned first = (unsigned)lo, span = (unsigned)(hi - lo);
    const u64 usual = MOSTLY ? gen_bits(g->dtype, g->b) : 0,
              limit = MOSTLY ? (u64)ceil(g->share * 4294967296.0) : 0;
    const int size = gen_size(g->dtype);
    const unsigned mask = size == 4 ? ~0u : (1u << 8 * size) - 1;

    for (u64 block = first_index(); block < fours; block += stride()) {
        const struct philox value = philox(seed, block, g->stream, GEN_LANE_VALUE);
        struct philox extra = value;
        u64 bits[4];

        if (MOSTLY)
            extra = philox(seed, block, g->stream, GEN_LANE_EXTRA);
#pragma unroll
        for (int k = 0; k < 4; k++) {
            const u64 product = (u64)value.word[k] * span + value.word[k];

            bits[k] = MOSTLY && extra.word[k] < limit
                          ? usual
                          : (first + (unsigned)(product >> 32)) & mask;
        }
        store_bits(size, bits, dst, block);
    }
}

// --- real numbers in 16 or 32 bits ------------------------------------------------------

static __device__ bool
is_short_uniform(const struct gen *g)
{
    return g->scatter == 0 && g->kind == GEN_UNIFORM &&
           (g->dtype == DTYPE_F32 || g->dtype == DTYPE_F16 || g->dtype == DTYPE_BF16);
}

// gen_narrow() of a float, rounded by the GPU. It is no NaN: gen_uniform() gives none.
static __device__ u64
narrow_bits(uint8_t dtype, float v)
{
    unsigned short bits;

    if (dtype == DTYPE_F32)
        return __float_as_uint(v);
    if (dtype == DTYPE_F16)
        asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(v));
    else
        asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(bits) : "f"(v));
    return bits;
}

static __device__ void
fill_short_uniform(const struct gen *g, u64 seed, u64 fours, void *dst)
{
    const float a = (float)g->a, b = (float)g->b;
    const int size = gen_size(g->dtype);

    for (u64 block = first_index(); block < fours; block += stride()) {
        const struct philox value = philox(seed, block, g->stream, GEN_LANE_VALUE);
        u64 bits[4];

#pragma unroll
        for (int k = 0; k < 4; k++) {
            const float v = gen_uniform(a, b, value.word[k]);

            bits[k] = narrow_bits(g->dtype, g->negate != 0 ? -v : v);
        }
        store_bits(size, bits, dst, block);
    }
}

// --- all others -------------------------------------------------------------------------

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
    return g->scatter == 0 && gen_needs_words(g);
}

static __device__ void
make_any_four(const struct gen *g, struct gen_words *words, u64 block, double v[4])
{
    switch ((enum gen_kind)g->kind) {
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

static __device__ void
store_any_four(uint8_t dtype, const double v[4], void *dst, u64 block)
{
    switch ((enum dtype)dtype) {
#define X(name, text, size, ctype, class)                                                \
    case DTYPE_##name:                                                                   \
        return store_four<size>(gen_bits(DTYPE_##name, v[0]),                            \
                                gen_bits(DTYPE_##name, v[1]),                            \
                                gen_bits(DTYPE_##name, v[2]),                            \
                                gen_bits(DTYPE_##name, v[3]), dst, block);
        DTYPES(X)
#undef X
    case DTYPE_COUNT:
        break;
    }
}

// Makes the blocks of four from `begin` on, and the elements behind the last.
static __device__ void
fill_any(const struct gen *g, u64 seed, u64 begin, u64 count, void *dst)
{
    const u64 fours = is_made_in_fours(g) ? count / 4 : 0;
    struct gen_words words;

    words.order.range = 0;
    for (u64 block = begin + first_index(); 4 * block < count; block += stride()) {
        gen_block(g, seed, block, &words);
        if (block < fours) {
            double v[4];

            make_any_four(g, &words, block, v);
            if (g->negate != 0) {
                for (int k = 0; k < 4; k++)
                    v[k] = -v[k];
            }
            store_any_four(g->dtype, v, dst, block);
            continue;
        }
        for (u64 i = 4 * block; i < 4 * block + 4 && i < count; i++)
            gen_store(g->dtype, gen_element(g, &words, i), dst, i);
    }
}

// dst is aligned to 16 bytes. A block has 256 threads, and four of them fit a multiprocessor. An
// H200 then fills 8 to 14% faster than with all the registers that the compiler would take.
extern "C" __global__ void __launch_bounds__(256, 4)
warpjudge_fill(const struct gen g, u64 seed, u64 count, void *dst)
{
    u64 made = count / 4;

    if (is_repeated(&g))
        fill_repeated(&g, made, dst);
    else if (!is_whole(&g) && !is_short_uniform(&g))
        made = 0;
    else if (g.kind == GEN_UNIFORM)
        fill_short_uniform(&g, seed, made, dst);
    else if (g.kind == GEN_INTEGER)
        fill_whole<false>(&g, seed, made, dst);
    else
        fill_whole<true>(&g, seed, made, dst);
    fill_any(&g, seed, made, count, dst);
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
