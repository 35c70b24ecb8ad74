// links: exec ptx snippet
/* Integers, carries, comparisons and video instructions, as programs of strangers use
 * them (PTX ISA 9.7.1, .2, .6, .19). */
#include "../fixtures/snippet.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define A32 ((uint32_t)in->a[t])
#define B32 ((uint32_t)in->b[t])
#define C32 ((uint32_t)in->c[t])

static int64_t
s32(uint64_t x)
{
    return (int32_t)(uint32_t)x;
}

/* --- sums and products ----------------------------------------------------------- */

EXPECT(sums)
{
    d[0] = A + B;
    d[1] = A - B;
    d[2] = both(A32 + B32, A32 - B32);
    d[3] = (uint16_t)(A + B) | (uint64_t)(uint16_t)(A - B) << 16;
}

EXPECT(products_32)
{
    d[0] = (uint64_t)A32 * B32;
    d[1] = (uint64_t)(s32(A) * s32(B));
    d[2] = both((uint32_t)((uint64_t)A32 * B32 >> 32),
                (uint32_t)((uint64_t)(s32(A) * s32(B)) >> 32));
    d[3] = A32 * B32;
}

EXPECT(products_64)
{
    d[0] = A * B;
    d[1] = (uint64_t)((unsigned __int128)A * B >> 64);
    d[2] = (uint64_t)((__int128)(int64_t)A * (int64_t)B >> 64);
    d[3] = (uint64_t)((unsigned __int128)A * B >> 64) + C;
}

EXPECT(products_16)
{
    uint16_t a = (uint16_t)A, b = (uint16_t)B;

    d[0] = (uint32_t)a * b;
    d[1] = (uint32_t)((int16_t)a * (int16_t)b);
    d[2] = (uint16_t)(((uint32_t)a * b) >> 16);
    d[3] = (uint32_t)a * b + C32;
}

EXPECT(multiply_add)
{
    d[0] = A32 * B32 + C32;
    d[1] = (uint32_t)((uint64_t)A32 * B32 >> 32) + C32;
    d[2] = (uint64_t)(s32(A) * s32(B)) + C;
    d[3] = (uint64_t)A32 * B32 + C;
    d[1] &= UINT32_MAX;
}

EXPECT(products_24)
{
    int64_t a = (int32_t)(A32 << 8) >> 8, b = (int32_t)(B32 << 8) >> 8;
    uint64_t p = (uint64_t)(A32 & 0xffffff) * (B32 & 0xffffff);

    d[0] = (uint32_t)p;
    d[1] = (uint32_t)(p >> 16);
    d[2] = (uint32_t)(a * b) + C32;
    d[3] = (uint32_t)((a * b) >> 16) + C32;
    d[2] &= UINT32_MAX;
    d[3] &= UINT32_MAX;
}

EXPECT(differences)
{
    uint64_t u = A > B ? A - B : B - A;
    int64_t a = (int64_t)A, b = (int64_t)B;

    d[0] = (A32 > B32 ? A32 - B32 : B32 - A32) + C32;
    d[1] = (uint32_t)(s32(A) > s32(B) ? A32 - B32 : B32 - A32) + C32;
    d[2] = u + C;
    d[3] = (a > b ? A - B : B - A) + C;
    d[0] &= UINT32_MAX;
    d[1] &= UINT32_MAX;
}

EXPECT(quotients)
{
    uint64_t n = B | 1;
    uint32_t m = B32 | 1;
    int64_t q = s32(A) / s32(m), r = s32(A) % s32(m);

    d[0] = A / n;
    d[1] = A % n;
    d[2] = both(A32 / m, A32 % m);
    d[3] = both((uint32_t)q, (uint32_t)r);
}

EXPECT(signs)
{
    d[0] = (int64_t)A < 0 ? 0 - A : A;
    d[1] = 0 - A;
    d[2] = both(s32(A) < s32(B) ? A32 : B32, A32 < B32 ? A32 : B32);
    d[3] = (int64_t)A > (int64_t)B ? A : B;
}

EXPECT(saturated_sums)
{
    int64_t sum = s32(A) + s32(B), difference = s32(A) - s32(B);
    int64_t high = (s32(A) * s32(B) >> 32) + s32(C);
    int64_t *const all[] = {&sum, &difference, &high};

    for (unsigned i = 0; i < 3; i++) {
        if (*all[i] > INT32_MAX)
            *all[i] = INT32_MAX;
        if (*all[i] < INT32_MIN)
            *all[i] = INT32_MIN;
        d[i] = (uint32_t)*all[i];
    }
}

EXPECT(carry_of_128)
{
    unsigned __int128 x = (unsigned __int128)B << 64 | A,
                      y = (unsigned __int128)C << 64 | B;

    d[0] = (uint64_t)(x + y);
    d[1] = (uint64_t)((x + y) >> 64);
    d[2] = (uint64_t)(x - y);
    d[3] = (uint64_t)((x - y) >> 64);
}

EXPECT(carry_of_words)
{
    unsigned __int128 p = (unsigned __int128)A * B;

    d[0] = (uint64_t)p;
    d[1] = (uint64_t)(p >> 64);
}

EXPECT(carry_out)
{
    d[0] = (uint64_t)(A + B < A);
    d[1] = (uint64_t)((uint32_t)(A32 + B32) < A32);
}

static void
test_sums_and_products(void **state)
{
    static const struct snippet list[] = {
        {"sums", NULL,
         "add.u64 %d0, %a, %b; sub.s64 %d1, %a, %b;\n"
         "add.s32 %r3, %r0, %r1; sub.u32 %r4, %r0, %r1; mov.b64 %d2, {%r4, %r3};\n"
         "cvt.u16.u64 %h0, %a; cvt.u16.u64 %h1, %b; add.u16 %h2, %h0, %h1;\n"
         "sub.s16 %h3, %h0, %h1; mov.b32 %r5, {%h2, %h3}; cvt.u64.u32 %d3, %r5;",
         sums, IN_D},
        {"products_32", NULL,
         "mul.wide.u32 %d0, %r0, %r1; mul.wide.s32 %d1, %r0, %r1;\n"
         "mul.hi.u32 %r3, %r0, %r1; mul.hi.s32 %r4, %r0, %r1;\n"
         "mov.b64 %d2, {%r4, %r3}; mul.lo.s32 %r5, %r0, %r1;\n"
         "cvt.u64.u32 %d3, %r5;",
         products_32, IN_D},
        {"products_64", NULL,
         "mul.lo.u64 %d0, %a, %b; mul.hi.u64 %d1, %a, %b; mul.hi.s64 %d2, %a, %b;\n"
         "mad.hi.u64 %d3, %a, %b, %c;",
         products_64, IN_D},
        {"products_16", NULL,
         "cvt.u16.u64 %h0, %a; cvt.u16.u64 %h1, %b; cvt.u32.u64 %r2, %c;\n"
         "mul.wide.u16 %r3, %h0, %h1; cvt.u64.u32 %d0, %r3;\n"
         "mul.wide.s16 %r3, %h0, %h1; cvt.u64.u32 %d1, %r3;\n"
         "mul.hi.u16 %h2, %h0, %h1; cvt.u64.u16 %d2, %h2;\n"
         "mad.wide.u16 %r3, %h0, %h1, %r2; cvt.u64.u32 %d3, %r3;",
         products_16, IN_D},
        {"multiply_add", NULL,
         "mad.lo.u32 %r3, %r0, %r1, %r2; cvt.u64.u32 %d0, %r3;\n"
         "mad.hi.u32 %r3, %r0, %r1, %r2; cvt.u64.u32 %d1, %r3;\n"
         "mad.wide.s32 %d2, %r0, %r1, %c; mad.wide.u32 %d3, %r0, %r1, %c;",
         multiply_add, IN_D},
        {"products_24", NULL,
         "mul24.lo.u32 %r3, %r0, %r1; cvt.u64.u32 %d0, %r3;\n"
         "mul24.hi.u32 %r3, %r0, %r1; cvt.u64.u32 %d1, %r3;\n"
         "mad24.lo.s32 %r3, %r0, %r1, %r2; cvt.u64.u32 %d2, %r3;\n"
         "mad24.hi.s32 %r3, %r0, %r1, %r2; cvt.u64.u32 %d3, %r3;",
         products_24, IN_D},
        {"differences", NULL,
         "sad.u32 %r3, %r0, %r1, %r2; cvt.u64.u32 %d0, %r3;\n"
         "sad.s32 %r3, %r0, %r1, %r2; cvt.u64.u32 %d1, %r3;\n"
         "sad.u64 %d2, %a, %b, %c; sad.s64 %d3, %a, %b, %c;",
         differences, IN_D},
        {"quotients", NULL,
         "or.b64 %l0, %b, 1; div.u64 %d0, %a, %l0; rem.u64 %d1, %a, %l0;\n"
         "or.b32 %r1, %r1, 1; div.u32 %r3, %r0, %r1; rem.u32 %r4, %r0, %r1;\n"
         "mov.b64 %d2, {%r4, %r3}; div.s32 %r3, %r0, %r1; rem.s32 %r4, %r0, %r1;\n"
         "mov.b64 %d3, {%r4, %r3};",
         quotients, IN_D},
        {"signs", NULL,
         "abs.s64 %d0, %a; neg.s64 %d1, %a; min.s32 %r3, %r0, %r1;\n"
         "min.u32 %r4, %r0, %r1; mov.b64 %d2, {%r4, %r3}; max.s64 %d3, %a, %b;",
         signs, IN_D},
        {"saturated_sums", NULL,
         "add.sat.s32 %r3, %r0, %r1; cvt.u64.u32 %d0, %r3;\n"
         "sub.sat.s32 %r3, %r0, %r1; cvt.u64.u32 %d1, %r3;\n"
         "mad.hi.sat.s32 %r3, %r0, %r1, %r2; cvt.u64.u32 %d2, %r3;",
         saturated_sums, IN_D},
        {"carry_of_128", NULL,
         "add.cc.u64 %d0, %a, %b; addc.u64 %d1, %b, %c;\n"
         "sub.cc.u64 %d2, %a, %b; subc.u64 %d3, %b, %c;",
         carry_of_128, IN_D},
        {"carry_of_words", NULL,
         "mov.b64 {%r0, %r1}, %a; mov.b64 {%r2, %r3}, %b;\n"
         "mul.lo.u32 %r4, %r0, %r2; mul.hi.u32 %r5, %r0, %r2;\n"
         "mad.lo.cc.u32 %r5, %r0, %r3, %r5; madc.hi.u32 %r6, %r0, %r3, 0;\n"
         "mad.lo.cc.u32 %r5, %r1, %r2, %r5; madc.hi.cc.u32 %r6, %r1, %r2, %r6;\n"
         "addc.u32 %r7, 0, 0; mad.lo.cc.u32 %r6, %r1, %r3, %r6;\n"
         "madc.hi.u32 %r7, %r1, %r3, %r7;\n"
         "mov.b64 %d0, {%r4, %r5}; mov.b64 %d1, {%r6, %r7};",
         carry_of_words, IN_D},
        {"carry_out", NULL,
         "add.cc.u64 %l0, %a, %b; addc.u64 %d0, 0, 0;\n"
         "add.cc.u32 %r3, %r0, %r1; addc.u32 %r4, 0, 0; cvt.u64.u32 %d1, %r4;",
         carry_out, IN_D},
    };

    (void)state;
    SNIPPETS_RUN(list);
}

/* --- comparisons and conversions ------------------------------------------------- */

EXPECT(comparisons)
{
    bool less = s32(A) < s32(B), below = A32 < B32, same = A == B;

    d[0] = (uint64_t)less | (uint64_t)!less << 1 | (uint64_t)below << 2 |
           (uint64_t)!below << 3;
    d[1] = (uint64_t)((int64_t)A >= (int64_t)B && below) |
           (uint64_t)(same || !less) << 1 | (uint64_t)(same != below) << 2;
    d[2] = (uint64_t)(A32 > B32) | (uint64_t)(A32 <= B32) << 1 |
           (uint64_t)(A32 >= B32) << 2 | (uint64_t)((uint16_t)A != (uint16_t)B) << 3;
    d[3] = same ? A : C;
}

EXPECT(sets)
{
    bool less = s32(A) < s32(B);

    d[0] = less ? UINT32_MAX : 0;
    d[1] = A32 > B32 ? 0x3f800000 : 0;
    d[2] = s32(C) >= 0 ? A : B;
    d[3] = (s32(A) != s32(B)) != less ? UINT32_MAX : 0;
}

static uint64_t
bounded(int64_t x, int64_t low, int64_t high)
{
    return (uint64_t)(x < low ? low : x > high ? high : x);
}

EXPECT(narrowed)
{
    d[0] = both((uint8_t)B, (uint32_t)(int8_t)A);
    d[1] = (uint64_t)(int64_t)(int16_t)A;
    d[2] = bounded((int64_t)A, INT32_MIN, INT32_MAX) & UINT32_MAX;
    d[3] = bounded(s32(B), 0, 255) | (bounded(s32(B), -128, 127) & UINT32_MAX) << 32;
}

EXPECT(packed)
{
    uint32_t a = (uint32_t)bounded(s32(A), -32768, 32767) & 0xffff;
    uint32_t b = (uint32_t)bounded(s32(B), -32768, 32767) & 0xffff;

    d[0] = a << 16 | b;
    d[1] = (uint32_t)(bounded(s32(A), 0, 255) << 8 | bounded(s32(B), 0, 255) |
                      (uint64_t)C32 << 16);
}

static void
test_comparisons(void **state)
{
    static const struct snippet list[] = {
        {"comparisons", NULL,

         "setp.lt.s32 %p0|%p1, %r0, %r1; setp.lo.u32 %p2|%p3, %r0, %r1;\n"
         "setp.eq.u64 %p4, %a, %b; selp.b64 %d3, %a, %c, %p4;\n"
         "selp.b64 %d0, 1, 0, %p0; @%p1 or.b64 %d0, %d0, 2; @%p2 or.b64 %d0, %d0, 4;\n"
         "@%p3 or.b64 %d0, %d0, 8; setp.ge.and.s64 %p5, %a, %b, %p2;\n"
         "setp.eq.or.u64 %p6, %a, %b, !%p0; setp.eq.xor.b64 %p7, %a, %b, %p2;\n"
         "selp.b64 %d1, 1, 0, %p5; @%p6 or.b64 %d1, %d1, 2; @%p7 or.b64 %d1, %d1, 4;\n"
         "setp.hi.u32 %p8, %r0, %r1; setp.ls.u32 %p9, %r0, %r1;\n"
         "setp.hs.u32 %p10, %r0, %r1; cvt.u16.u64 %h0, %a; cvt.u16.u64 %h1, %b;\n"
         "setp.ne.b16 %p11, %h0, %h1; selp.b64 %d2, 1, 0, %p8;\n"
         "@%p9 or.b64 %d2, %d2, 2; @%p10 or.b64 %d2, %d2, 4; @%p11 or.b64 %d2, %d2, 8;",
         comparisons, IN_D},
        {"sets", NULL,
         "set.lt.u32.s32 %r3, %r0, %r1; cvt.u64.u32 %d0, %r3;\n"
         "set.gt.f32.u32 %f0, %r0, %r1; mov.b32 %r3, %f0; cvt.u64.u32 %d1, %r3;\n"
         "slct.u64.s32 %d2, %a, %b, %r2; setp.lt.s32 %p0, %r0, %r1;\n"
         "set.ne.xor.u32.s32 %r3, %r0, %r1, %p0; cvt.u64.u32 %d3, %r3;",
         sets, IN_D},
        {"narrowed", NULL,
         "cvt.s32.s8 %r3, %r0; cvt.u32.u8 %r4, %r1; mov.b64 %d0, {%r3, %r4};\n"
         "cvt.u16.u64 %h0, %a; cvt.s64.s16 %d1, %h0;\n"
         "cvt.sat.s32.s64 %r3, %a; cvt.u64.u32 %d2, %r3;\n"
         "cvt.sat.u8.s32 %r3, %r1; cvt.sat.s8.s32 %r4, %r1;\n"
         "mov.b64 %d3, {%r3, %r4};",
         narrowed, IN_D},
        {"packed", NULL,
         "cvt.pack.sat.s16.s32 %r3, %r0, %r1; cvt.u64.u32 %d0, %r3;\n"
         "cvt.pack.sat.u8.s32.b32 %r3, %r0, %r1, %r2; cvt.u64.u32 %d1, %r3;",
         packed, IN_D},
    };

    (void)state;
    SNIPPETS_RUN(list);
}

/* --- video instructions ---------------------------------------------------------- */

EXPECT(video_sums)
{
    int64_t byte = (int64_t)(A32 >> 16 & 0xff) - (int8_t)(B32 >> 8);
    int64_t sum = s32(A) + (int64_t)(uint16_t)(B32 >> 16);

    d[0] = bounded(sum, INT32_MIN, INT32_MAX) & UINT32_MAX;
    d[1] = (uint32_t)((uint32_t)byte + C32);
    d[2] = (uint32_t)(s32(A) > s32(B) ? A32 - B32 : B32 - A32);
    d[3] = (C32 & 0xff00ffff) | ((uint32_t)(A32 + B32) & 0xff) << 16;
}

EXPECT(video_choices)
{
    uint32_t low = A32 < B32 ? A32 : B32, n = B32 & 31, m = B32 > 32 ? 32 : B32;

    d[0] = low > C32 ? low : C32;
    d[1] = (uint64_t)(s32(A) > (int64_t)B32) + C32;
    d[2] = (uint32_t)(A32 << n);
    d[3] = (uint32_t)(s32(A) >> (m == 32 ? 31 : m));
    d[1] &= UINT32_MAX;
}

EXPECT(video_lanes)
{
    uint32_t sum = 0, average = 0, distance = C32, halves = 0;

    for (unsigned i = 0; i < 4; i++) {
        uint32_t x = A32 >> (8 * i) & 0xff, y = B32 >> (8 * i) & 0xff;

        sum |= (x + y > 255 ? 255 : x + y) << (8 * i);
        average |= ((x + y + 1) >> 1) << (8 * i);
        distance += x > y ? x - y : y - x;
    }
    for (unsigned i = 0; i < 2; i++) {
        int32_t x = (int16_t)(A32 >> (16 * i)), y = (int16_t)(B32 >> (16 * i));

        halves |= (uint32_t)((x < y ? x : y) & 0xffff) << (16 * i);
    }
    d[0] = sum;
    d[1] = average;
    d[2] = distance;
    d[3] = halves;
}

static void
test_video(void **state)
{
    static const struct snippet list[] = {
        {"video_sums", NULL,
         "vadd.s32.s32.u32.sat %r3, %r0, %r1.h1; cvt.u64.u32 %d0, %r3;\n"
         "vsub.s32.u32.s32.add %r3, %r0.b2, %r1.b1, %r2; cvt.u64.u32 %d1, %r3;\n"
         "vabsdiff.u32.s32.s32 %r3, %r0, %r1; cvt.u64.u32 %d2, %r3;\n"
         "vadd.u32.u32.u32 %r3.b2, %r0, %r1, %r2; cvt.u64.u32 %d3, %r3;",
         video_sums, IN_D},
        {"video_choices", NULL,
         "vmin.u32.u32.u32.max %r3, %r0, %r1, %r2; cvt.u64.u32 %d0, %r3;\n"
         "vset.s32.u32.gt.add %r3, %r0, %r1, %r2; cvt.u64.u32 %d1, %r3;\n"
         "vshl.u32.u32.u32.wrap %r3, %r0, %r1; cvt.u64.u32 %d2, %r3;\n"
         "vshr.s32.s32.u32.clamp %r3, %r0, %r1; cvt.u64.u32 %d3, %r3;",
         video_choices, IN_D},
        {"video_lanes", NULL,
         "mov.u32 %r9, 0; vadd4.u32.u32.u32.sat %r3, %r0, %r1, %r9; cvt.u64.u32 "
         "%d0, %r3;\n"
         "vavrg4.u32.u32.u32 %r3, %r0, %r1, %r9; cvt.u64.u32 %d1, %r3;\n"
         "vabsdiff4.u32.u32.u32.add %r3, %r0, %r1, %r2; cvt.u64.u32 %d2, %r3;\n"
         "vmin2.s32.s32.s32 %r3, %r0, %r1, %r9; cvt.u64.u32 %d3, %r3;",
         video_lanes, IN_D},
    };

    (void)state;
    SNIPPETS_RUN(list);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sums_and_products),
        cmocka_unit_test(test_comparisons),
        cmocka_unit_test(test_video),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
