/*
 * Fills buffers on the host. gen_fn.h says what each element is. Here the common
 * generators are made a batch at a time, in loops that the compiler turns into vector
 * code. A loop makes the words of a batch, which stay in the first-level cache; another
 * converts them.
 *
 * Each vector function is compiled twice from one always-inlined body, for plain x86-64
 * and for AVX2, and chosen at run time. AVX2 without FMA does the same roundings, so the
 * bits are the same. Generators that have no batch form go element by element.
 */
#include "numbers/gen.h"

#include "numbers/gen_fn.h"

#include <immintrin.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* -O2's cost model vectorises only loops of known, divisible length. */
#pragma GCC optimize("O3")

#define BATCH_BLOCKS 256
#define BATCH_WORDS (4 * BATCH_BLOCKS)

#define BODY static inline __attribute__((always_inline)) void
#define AVX2 __attribute__((target("avx2")))

/* Defines NAME(...), which runs NAME_body compiled for AVX2 or for plain x86-64. */
#define TWO_WAYS(name, params, args)                                                     \
    AVX2 static void name##_avx2 params                                                  \
    {                                                                                    \
        name##_body args;                                                                \
    }                                                                                    \
    static void name##_plain params                                                      \
    {                                                                                    \
        name##_body args;                                                                \
    }                                                                                    \
    static void name params                                                              \
    {                                                                                    \
        if (__builtin_cpu_supports("avx2"))                                              \
            name##_avx2 args;                                                            \
        else                                                                             \
            name##_plain args;                                                           \
    }

/* Makes four blocks at once, one in each 64-bit lane, with the same rounds as philox(). A
 * lane's low half holds the 32-bit word. Its high half is rubbish, which
 * _mm256_mul_epu32() does not read. */
AVX2 static inline void
draw4(uint64_t key, uint64_t block, uint32_t stream, uint32_t lane, uint32_t *words)
{
    const __m256i m0 = _mm256_set1_epi64x(PHILOX_M0), m1 = _mm256_set1_epi64x(PHILOX_M1);
    const __m256i low = _mm256_set1_epi64x(0xFFFFFFFF);
    uint32_t k0 = (uint32_t)key, k1 = (uint32_t)(key >> 32);
    __m256i c0 = _mm256_add_epi64(_mm256_set1_epi64x((int64_t)block),
                                  _mm256_set_epi64x(3, 2, 1, 0));
    __m256i c1 = _mm256_srli_epi64(c0, 32);
    __m256i c2 = _mm256_set1_epi64x(stream), c3 = _mm256_set1_epi64x(lane);
    __m256i w01, w23, even, odd;

    for (int round = 0; round < PHILOX_ROUNDS; round++) {
        __m256i p0 = _mm256_mul_epu32(c0, m0), p1 = _mm256_mul_epu32(c2, m1);
        __m256i x0 = _mm256_xor_si256(c1, _mm256_set1_epi64x(k0));
        __m256i x2 = _mm256_xor_si256(c3, _mm256_set1_epi64x(k1));

        c0 = _mm256_xor_si256(_mm256_srli_epi64(p1, 32), x0);
        c1 = p1;
        c2 = _mm256_xor_si256(_mm256_srli_epi64(p0, 32), x2);
        c3 = p0;
        k0 += PHILOX_W0;
        k1 += PHILOX_W1;
    }
    /* Lane b of w01 holds words 0 and 1 of block b, of w23 words 2 and 3. */
    w01 = _mm256_or_si256(_mm256_and_si256(c0, low), _mm256_slli_epi64(c1, 32));
    w23 = _mm256_or_si256(_mm256_and_si256(c2, low), _mm256_slli_epi64(c3, 32));
    even = _mm256_unpacklo_epi64(w01, w23); /* blocks 0 and 2 */
    odd = _mm256_unpackhi_epi64(w01, w23);  /* blocks 1 and 3 */
    _mm256_storeu_si256((__m256i *)words, _mm256_permute2x128_si256(even, odd, 0x20));
    _mm256_storeu_si256((__m256i *)(words + 8),
                        _mm256_permute2x128_si256(even, odd, 0x31));
}

AVX2 static void
draw_avx2(uint64_t key, uint64_t first_block, uint32_t stream, uint32_t lane,
          uint32_t *words)
{
    for (unsigned b = 0; b < BATCH_BLOCKS; b += 4)
        draw4(key, first_block + b, stream, lane, words + 4 * b);
}

/* The words of BATCH_BLOCKS blocks, in the order of the elements that use them. */
static void
gen_draw_words(uint64_t key, uint64_t first_block, uint32_t stream, uint32_t lane,
               uint32_t *words)
{
    if (__builtin_cpu_supports("avx2")) {
        draw_avx2(key, first_block, stream, lane, words);
        return;
    }
    for (unsigned b = 0; b < BATCH_BLOCKS; b++) {
        struct philox w = philox(key, first_block + b, stream, lane);

        memcpy(words + 4 * b, w.word, sizeof w.word);
    }
}

BODY
uniform_f32_body(float a, float b, const uint32_t *restrict words, float *restrict dst)
{
    for (unsigned i = 0; i < BATCH_WORDS; i++)
        dst[i] = gen_uniform(a, b, words[i]);
}

TWO_WAYS(uniform_f32,
         (float a, float b, const uint32_t *restrict words, float *restrict dst),
         (a, b, words, dst))

/* gen_integer() for results that fit 32 bits. The sum may wrap without harm. */
BODY
integer_i32_body(int64_t a, int64_t b, const uint32_t *restrict words,
                 int32_t *restrict dst)
{
    const uint32_t low = (uint32_t)a, span = (uint32_t)(b - a + 1);

    for (unsigned i = 0; i < BATCH_WORDS; i++)
        dst[i] = (int32_t)(low + (uint32_t)((uint64_t)words[i] * span >> 32));
}

TWO_WAYS(integer_i32,
         (int64_t a, int64_t b, const uint32_t *restrict words, int32_t *restrict dst),
         (a, b, words, dst))

BODY
integer_i8_body(int64_t a, int64_t b, const uint32_t *restrict words,
                int8_t *restrict dst)
{
    const uint32_t low = (uint32_t)a, span = (uint32_t)(b - a + 1);

    for (unsigned i = 0; i < BATCH_WORDS; i++)
        dst[i] = (int8_t)(low + (uint32_t)((uint64_t)words[i] * span >> 32));
}

TWO_WAYS(integer_i8,
         (int64_t a, int64_t b, const uint32_t *restrict words, int8_t *restrict dst),
         (a, b, words, dst))

static void
fill_elements(const struct gen *g, uint64_t seed, uint64_t first, uint64_t count,
              void *dst)
{
    struct gen_words w = {0};

    for (uint64_t k = 0; k < count; k++) {
        uint64_t i = first + k;

        if (k == 0 || i % 4 == 0)
            gen_block(g, seed, i / 4, &w);
        gen_store(g->dtype, gen_element(g, &w, i), dst, k);
    }
}

/* Is there a batch form of this generator? Those for integers need a span below 2^32 and
 * values that fit the type. */
static bool
has_batch_form(const struct gen *g)
{
    if (g->negate || g->scatter != 0)
        return false;
    if (g->kind == GEN_UNIFORM)
        return g->dtype == DTYPE_F32;
    if (g->kind != GEN_INTEGER || g->b - g->a >= 4294967295.0)
        return false;
    if (g->dtype == DTYPE_I32)
        return g->a >= -2147483648.0 && g->b <= 2147483647.0;
    return g->dtype == DTYPE_I8 && g->a >= -128 && g->b <= 127;
}

/* Makes one batch of BATCH_WORDS elements, from element 4 * block on. */
static void
fill_batch(const struct gen *g, uint64_t seed, uint64_t block, void *dst)
{
    uint32_t words[BATCH_WORDS];

    gen_draw_words(seed, block, g->stream, GEN_LANE_VALUE, words);
    if (g->kind == GEN_UNIFORM)
        uniform_f32((float)g->a, (float)g->b, words, dst);
    else if (g->dtype == DTYPE_I32)
        integer_i32((int64_t)g->a, (int64_t)g->b, words, dst);
    else
        integer_i8((int64_t)g->a, (int64_t)g->b, words, dst);
}

/* Fills a buffer with one element: it is written once, then what is there is doubled. */
static void
gen_fill_constant(const struct gen *g, uint64_t count, void *dst)
{
    const size_t size = dtype_size((enum dtype)g->dtype);
    const size_t total = (size_t)count * size;
    char *bytes = dst;
    size_t done = size;

    if (count == 0)
        return;
    gen_store(g->dtype, g->negate ? -g->a : g->a, dst, 0);
    while (done < total) {
        /* A longer copy would not come out of the cache, and would read as much memory as
         * it writes. */
        size_t step = done < 65536 ? done : 65536 / size * size;

        if (step > total - done)
            step = total - done;
        memcpy(bytes + done, bytes, step);
        done += step;
    }
}

void
gen_fill(const struct gen *g, uint64_t seed, uint64_t first, uint64_t count, void *dst)
{
    const size_t size = dtype_size((enum dtype)g->dtype);
    char *out = dst;

    if (g->kind == GEN_CONSTANT && g->scatter == 0) {
        gen_fill_constant(g, count, dst);
        return;
    }
    if (has_batch_form(g)) {
        uint64_t head = (4 - first % 4) % 4;

        if (head > count)
            head = count;
        fill_elements(g, seed, first, head, out);
        first += head;
        count -= head;
        out += head * size;
        for (; count >= BATCH_WORDS; count -= BATCH_WORDS, first += BATCH_WORDS) {
            fill_batch(g, seed, first / 4, out);
            out += BATCH_WORDS * size;
        }
    }
    fill_elements(g, seed, first, count, out);
}

void
gen_poison(uint64_t seed, uint64_t bytes, void *dst)
{
    const uint64_t batch_bytes = sizeof(uint32_t) * BATCH_WORDS;
    uint32_t words[BATCH_WORDS];
    char *out = dst;

    for (uint64_t done = 0; done < bytes; done += batch_bytes) {
        uint64_t left = bytes - done;

        gen_draw_words(seed, done / sizeof(struct philox), 0, GEN_LANE_POISON, words);
        memcpy(out + done, words, left < batch_bytes ? left : batch_bytes);
    }
}

double
gen_load(uint8_t dtype, const void *src, uint64_t index)
{
    return gen_read(dtype, src, index);
}

void
gen_put(uint8_t dtype, double value, void *dst, uint64_t index)
{
    gen_store(dtype, value, dst, index);
}
