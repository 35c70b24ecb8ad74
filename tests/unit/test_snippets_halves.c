// links: exec ptx snippet
/* Halves, reductions of a warp, packed atomics and matrices, as programs of strangers use
 * them (PTX ISA 9.7.4, .5, .9.21, .13, .14). The host rounds to halves by _Float16. */
#include "../fixtures/snippet.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define A32 ((uint32_t)in->a[t])
#define B32 ((uint32_t)in->b[t])
#define C32 ((uint32_t)in->c[t])

static long double
half(uint64_t bits)
{
    uint16_t h = (uint16_t)bits;
    _Float16 f;

    memcpy(&f, &h, sizeof f);
    return (long double)f;
}

/* The only NaN of halves is 0x7fff. An x87 number holds every sum and product of three
 * halves exactly, so there is one rounding. */
static uint64_t
half_bits(long double v)
{
    _Float16 f = (_Float16)v;
    uint16_t h;

    memcpy(&h, &f, sizeof h);
    return isnan(v) ? 0x7fff : h;
}

static float
single(uint64_t bits)
{
    uint32_t word = (uint32_t)bits;
    float f;

    memcpy(&f, &word, sizeof f);
    return f;
}

/* --- arithmetic ------------------------------------------------------------------ */

static uint64_t
relu(uint64_t bits)
{
    return bits != 0x7fff && (bits & 0x8000) != 0 ? 0 : bits;
}

EXPECT(sums)
{
    long double a = half(A), b = half(B), c = half(C);

    d[0] = half_bits(a + b);
    d[1] = half_bits(a - b);
    d[2] = half_bits(a * b + c);
    d[3] = relu(half_bits(a * b + c));
}

EXPECT(pairs)
{
    for (unsigned i = 0; i < 2; i++) {
        unsigned at = 16 * i;
        long double a = half(A32 >> at), b = half(B32 >> at), c = half(C32 >> at);

        d[0] |= half_bits(a + b) << at;
        d[1] |= half_bits(a * b) << at;
        d[2] |= half_bits(a * b + c) << at;
        d[3] |= relu(half_bits(a * b + c)) << at;
    }
}

/* The lesser of both, or the greater. A zero with a minus sign is less than one without.
 */
static uint64_t
extreme(uint64_t x, uint64_t y, bool greater, bool keeps_nan)
{
    long double a = half(x), b = half(y);

    x &= 0xffff;
    y &= 0xffff;
    if (isnan(a) || isnan(b))
        return keeps_nan || (isnan(a) && isnan(b)) ? 0x7fff : isnan(a) ? y : x;
    if (a == b)
        return greater == ((x & 0x8000) != 0) ? y : x;
    return (a > b) == greater ? x : y;
}

EXPECT(extremes)
{
    uint64_t sign = (A ^ B) & 0x8000;
    uint64_t magnitude = extreme(A & 0x7fff, B & 0x7fff, true, false);

    d[0] = extreme(A, B, false, false);
    d[1] = extreme(A, B, true, false);
    d[2] = extreme(A, B, true, true);
    d[3] = magnitude == 0x7fff ? magnitude : magnitude | sign;
}

EXPECT(narrowed)
{
    float a = single(A), b = single(B);
    uint64_t both_halves = half_bits((long double)a) << 16 | half_bits((long double)b);
    uint64_t low = half_bits((long double)b);

    d[0] = half_bits((long double)a);
    d[1] = both_halves;
    d[2] = relu(half_bits((long double)a));
    d[3] = (low & 0x7fff) == 0x7c00 ? (low & 0x8000) | 0x7bff : low;
}

/* --- a warp together --------------------------------------------------------------- */

EXPECT(reduced)
{
    uint32_t sum = 0, all = UINT32_MAX, most = 0;
    int32_t least = INT32_MAX;

    for (unsigned i = t / 32 * 32; i < t / 32 * 32 + 32; i++) {
        uint32_t word = (uint32_t)in->a[i];

        sum += word;
        all &= word;
        most = word > most ? word : most;
        least = (int32_t)word < least ? (int32_t)word : least;
    }
    d[0] = sum;
    d[1] = all;
    d[2] = most;
    d[3] = (uint32_t)least;
}

/* Lanes 0 to 15 add 1 and lanes 16 to 31 add 2 to the pair of their warp, the high half
 * gets the double. */
EXPECT(packed_atomics)
{
    (void)in;
    (void)t;
    d[0] = half_bits(96) << 16 | half_bits(48);
    d[1] = both(0x42c00000, 0x42400000); /* 96 and 48 as singles */
    d[2] = (uint64_t)0x42c0 << 16 | 0x4240;
}

/* --- matrices ---------------------------------------------------------------------- */

/* Four 8 x 8 matrices whose element is its number: lane l holds elements 2l and 2l + 1 of
 * each, and transposed those of its column (9.7.14.5.15). */
EXPECT(moved_matrices)
{
    unsigned lane = t % 32, row = lane / 4, column = lane % 4 * 2;

    (void)in;
    for (unsigned m = 0; m < 2; m++) {
        unsigned plain = m * 64 + row * 8 + column, turned = m * 64 + column * 8 + row;

        d[m] = (uint64_t)(plain + 1) << 16 | plain;
        d[m + 2] = (uint64_t)(turned + 8) << 16 | turned;
    }
}

/* a[i][k] = i + k, b[k][j] = k - j + 9, in 8 x 16 by 16 x 8 bytes (m8n8k16). Lane l holds
 * a's row l / 4 and b's column l / 4, each from element l % 4 * 4 on. */
EXPECT(byte_products)
{
    unsigned lane = t % 32, i = lane / 4;

    (void)in;
    for (unsigned n = 0; n < 2; n++) {
        int j = (int)(lane % 4 * 2 + n), sum = 5;

        for (int k = 0; k < 16; k++)
            sum += ((int)i + k) * (k - j + 9);
        d[n] = (uint32_t)sum;
    }
}

static void
test_halves(void **state)
{
    static const struct snippet list[] = {
        {"half_sums", NULL,
         "add.f16 %h3, %h0, %h1; cvt.u64.u16 %d0, %h3; sub.f16 %h3, %h0, %h1;\n"
         "cvt.u64.u16 %d1, %h3; fma.rn.f16 %h3, %h0, %h1, %h2; cvt.u64.u16 %d2, %h3;\n"
         "fma.rn.relu.f16 %h3, %h0, %h1, %h2; cvt.u64.u16 %d3, %h3;",
         sums, IN_D},
        {"half_pairs", NULL,
         "add.f16x2 %r3, %r0, %r1; cvt.u64.u32 %d0, %r3; mul.f16x2 %r3, %r0, %r1;\n"
         "cvt.u64.u32 %d1, %r3; fma.rn.f16x2 %r3, %r0, %r1, %r2; cvt.u64.u32 %d2, %r3;\n"
         "fma.rn.relu.f16x2 %r3, %r0, %r1, %r2; cvt.u64.u32 %d3, %r3;",
         pairs, IN_D},
        {"half_extremes", NULL,
         "min.f16 %h3, %h0, %h1; cvt.u64.u16 %d0, %h3; max.f16 %h3, %h0, %h1;\n"
         "cvt.u64.u16 %d1, %h3; max.NaN.f16 %h3, %h0, %h1; cvt.u64.u16 %d2, %h3;\n"
         "max.xorsign.abs.f16 %h3, %h0, %h1; cvt.u64.u16 %d3, %h3;",
         extremes, IN_D},
        {"halves_of_singles", NULL,
         "cvt.rn.f16.f32 %h3, %f0; cvt.u64.u16 %d0, %h3; cvt.rn.f16x2.f32 %r3, %f0, "
         "%f1;\n"
         "cvt.u64.u32 %d1, %r3; cvt.rn.relu.f16.f32 %h3, %f0; cvt.u64.u16 %d2, %h3;\n"
         "cvt.rn.satfinite.f16.f32 %h3, %f1; cvt.u64.u16 %d3, %h3;",
         narrowed, IN_D},
        {"warp_reductions", NULL,
         "redux.sync.add.u32 %r3, %r0, -1; cvt.u64.u32 %d0, %r3;\n"
         "redux.sync.and.b32 %r3, %r0, -1; cvt.u64.u32 %d1, %r3;\n"
         "redux.sync.max.u32 %r3, %r0, -1; cvt.u64.u32 %d2, %r3;\n"
         "redux.sync.min.s32 %r3, %r0, -1; cvt.u64.u32 %d3, %r3;",
         reduced, IN_D},
        {"packed_atomics", NULL,
         "shr.u32 %r3, %t, 5; mad.wide.u32 %l0, %r3, 32, %e; and.b32 %r4, %t, 16;\n"
         "setp.eq.u32 %p0, %r4, 0; selp.b32 %r5, 0x40003c00, 0x44004000, %p0;\n"
         "red.global.add.noftz.f16x2 [%l0], %r5; selp.f32 %f3, 1.0, 2.0, %p0;\n"
         "add.f32 %f4, %f3, %f3; red.global.add.v2.f32 [%l0+8], {%f3, %f4};\n"
         "selp.b32 %r5, 0x40003f80, 0x40804000, %p0;\n"
         "red.global.add.noftz.bf16x2 [%l0+16], %r5; bar.sync 0;\n"
         "ld.global.u32 %r5, [%l0]; cvt.u64.u32 %d0, %r5; ld.global.u64 %d1, [%l0+8];\n"
         "ld.global.u32 %r5, [%l0+16]; cvt.u64.u32 %d2, %r5;",
         packed_atomics, IN_D},
        {"moved_matrices", NULL,
         "shl.b32 %r3, %t, 1; mov.u32 %r4, tile; add.u32 %r4, %r4, %r3;\n"
         "cvt.u16.u32 %h3, %t; st.shared.u16 [%r4], %h3; bar.sync 0;\n"
         "and.b32 %r5, %t, 15; shl.b32 %r5, %r5, 4; mov.u32 %r4, tile;\n"
         "add.u32 %r4, %r4, %r5;\n"
         "ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r6, %r7}, [%r4];\n"
         "ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%r8, %r9}, [%r4];\n"
         "cvt.u64.u32 %d0, %r6; cvt.u64.u32 %d1, %r7; cvt.u64.u32 %d2, %r8;\n"
         "cvt.u64.u32 %d3, %r9;",
         moved_matrices, IN_D},
        {"byte_products", NULL,
         "and.b32 %r3, %t, 31; shr.u32 %r4, %r3, 2; and.b32 %r5, %r3, 3;\n"
         "shl.b32 %r5, %r5, 2; add.u32 %r6, %r4, %r5; mul.lo.u32 %r6, %r6, 0x01010101;\n"
         "add.u32 %r6, %r6, 0x03020100; add.u32 %r7, %r5, 9; sub.u32 %r7, %r7, %r4;\n"
         "mul.lo.u32 %r7, %r7, 0x01010101; add.u32 %r7, %r7, 0x03020100;\n"
         "mov.b32 %r12, 5; mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%r10, %r11},\n"
         " {%r6}, {%r7}, {%r12, %r12};\n"
         "cvt.u64.u32 %d0, %r10; cvt.u64.u32 %d1, %r11;",
         byte_products, IN_D},
    };

    (void)state;
    SNIPPETS_RUN(list);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_halves),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
