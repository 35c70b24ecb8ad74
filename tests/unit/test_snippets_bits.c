// links: exec ptx snippet
/* Bits: counts, fields, shifts, permutations, tables and dot products, as programs of
 * strangers use them (PTX ISA 9.7.1, .8). */
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

static uint64_t
reversed(uint64_t x, unsigned bits)
{
    uint64_t r = 0;

    for (unsigned i = 0; i < bits; i++)
        r |= (x >> i & 1) << (bits - 1 - i);
    return r;
}

EXPECT(counts)
{
    unsigned zeros = 0, zeros_64 = 0;

    while (zeros < 32 && (A32 >> (31 - zeros) & 1) == 0)
        zeros++;
    while (zeros_64 < 64 && (A >> (63 - zeros_64) & 1) == 0)
        zeros_64++;
    d[0] = both((uint32_t)__builtin_popcount(A32), (uint32_t)__builtin_popcountll(A));
    d[1] = both(zeros, zeros_64);
    d[2] = reversed(A, 64);
    d[3] = reversed(A32, 32);
}

/* The place of the highest bit that counts; of negative numbers, of the highest 0. */
static uint32_t
highest(uint64_t x, unsigned bits, bool is_signed)
{
    if (is_signed && (x >> (bits - 1) & 1) != 0)
        x = ~x;
    for (unsigned i = bits; i-- > 0;)
        if ((x >> i & 1) != 0)
            return i;
    return UINT32_MAX;
}

EXPECT(highest_bits)
{
    uint32_t u = highest(A32, 32, false), s = highest(A, 64, true);

    d[0] = both(u, s);
    d[1] = highest(A32, 32, true);
    d[2] = u == UINT32_MAX ? u : 31 - u;
    d[3] = s == UINT32_MAX ? s : 63 - s;
}

static uint64_t
field(uint64_t x, unsigned bits, unsigned pos, unsigned len, bool is_signed)
{
    uint64_t r = 0;
    unsigned sign = pos + len - 1 < bits - 1 ? pos + len - 1 : bits - 1;
    uint64_t fill = is_signed && len != 0 ? x >> sign & 1 : 0;

    for (unsigned i = 0; i < bits; i++)
        r |= (i < len && pos + i < bits ? x >> (pos + i) & 1 : fill) << i;
    return r;
}

EXPECT(fields)
{
    unsigned pos = B32 & 63, len = C32 & 63, at = B32 & 31, size = C32 & 31;
    uint64_t inserted = A;

    d[0] = field(A, 64, pos, len, false);
    d[1] = field(A32, 32, at, size, true);
    d[2] = field(A, 64, pos, len, true);
    for (unsigned i = 0; i < len && pos + i < 64; i++)
        inserted = (inserted & ~((uint64_t)1 << (pos + i))) | (B >> i & 1) << (pos + i);
    d[3] = inserted;
}

EXPECT(found_bits)
{
    unsigned base = B32 & 31, seen = 0;
    uint32_t up = UINT32_MAX, down = UINT32_MAX;

    for (unsigned i = base; i < 32; i++)
        if ((A32 >> i & 1) != 0 && ++seen == 3)
            up = i;
    seen = 0;
    for (int i = (int)base; i >= 0; i--)
        if ((A32 >> i & 1) != 0 && ++seen == 2)
            down = (uint32_t)i;
    d[0] = up;
    d[1] = down;
    d[2] = (A32 >> base & 1) != 0 ? base : UINT32_MAX;
}

EXPECT(funnels)
{
    unsigned n = C32 > 32 ? 32 : C32, m = C32 & 31;
    uint64_t pair = both(B32, A32);

    d[0] = n == 32 ? A32 : (uint32_t)(pair << n >> 32);
    d[1] = n == 32 ? B32 : (uint32_t)(pair >> n);
    d[2] = (uint32_t)(pair << m >> 32);
    d[3] = (uint32_t)(pair >> m);
}

EXPECT(shifts)
{
    uint32_t n = B32 & 0x7f;

    d[0] = n > 63 ? 0 : A << n;
    d[1] = n > 63 ? 0 : A >> n;
    d[2] = (uint64_t)((int64_t)A >> (n > 63 ? 63 : n));
    d[3] = both(n > 31 ? 0 : A32 << n, (uint32_t)(s32(A) >> (n > 31 ? 31 : n)));
}

static uint32_t
permuted(uint32_t a, uint32_t b, uint32_t selector)
{
    uint64_t bytes = both(b, a);
    uint32_t r = 0;

    for (unsigned i = 0; i < 4; i++) {
        unsigned s = selector >> (4 * i) & 15;
        uint32_t byte = bytes >> (8 * (s & 7)) & 0xff;

        if ((s & 8) != 0)
            byte = (byte & 0x80) != 0 ? 0xff : 0;
        r |= byte << (8 * i);
    }
    return r;
}

EXPECT(permutations)
{
    static const uint32_t forward[] = {0x3210, 0x4321, 0x5432, 0x6543};
    static const uint32_t backward[] = {0x5670, 0x6701, 0x7012, 0x0123};
    static const uint32_t right[] = {0x0000, 0x1111, 0x2222, 0x3333};
    static const uint32_t left[] = {0x3210, 0x3211, 0x3222, 0x3333};
    static const uint32_t to_right[] = {0x0000, 0x1110, 0x2210, 0x3210};
    static const uint32_t pairs[] = {0x1010, 0x3232, 0x1010, 0x3232};
    unsigned n = C32 & 3;

    d[0] = permuted(A32, B32, C32);
    d[1] = both(permuted(A32, B32, forward[n]), permuted(A32, B32, backward[n]));
    d[2] = both(permuted(A32, B32, right[n]), permuted(A32, B32, left[n]));
    d[3] = both(permuted(A32, B32, to_right[n]), permuted(A32, B32, pairs[n]));
}

static uint32_t
looked_up(uint32_t a, uint32_t b, uint32_t c, unsigned table)
{
    uint32_t r = 0;

    for (unsigned i = 0; i < 32; i++)
        r |= (uint32_t)(table >> ((a >> i & 1) * 4 + (b >> i & 1) * 2 + (c >> i & 1)) & 1)
             << i;
    return r;
}

EXPECT(tables)
{
    d[0] = both(looked_up(A32, B32, C32, 0x1a), looked_up(A32, B32, C32, 0x80));
    d[1] = both(looked_up(A32, B32, C32, 0xfe), looked_up(A32, B32, C32, 0x96));
    d[2] = both(looked_up(A32, B32, C32, 0xca), looked_up(A32, B32, C32, 0));
    d[3] = looked_up(A32, B32, C32, 0x40) != 0 || A32 == B32;
}

EXPECT(logic)
{
    d[0] = (A & B) ^ (B | C);
    d[1] = ~A;
    d[2] = A32 == 0;
    d[3] = (uint16_t) ~(A & B);
}

EXPECT(masks)
{
    unsigned n = B32 & 63, pos = A32 & 63;
    uint64_t mask = 0;

    for (unsigned i = pos; i < 32 && i < pos + n; i++)
        mask |= 1u << i;
    d[0] = mask;
    d[1] = (uint32_t)(n == 0    ? 0
                      : n >= 32 ? s32(A)
                                : (int32_t)(A32 << (32 - n)) >> (32 - n));
    d[2] = n >= 32 ? A32 : A32 & ((1u << n) - 1);
}

EXPECT(dot_products)
{
    uint32_t u = C32, s = C32, low = C32, high = C32;

    for (unsigned i = 0; i < 4; i++) {
        uint32_t x = A32 >> (8 * i) & 0xff, y = B32 >> (8 * i) & 0xff;

        u += x * y;
        s += (uint32_t)((int8_t)x * (int32_t)y);
    }
    for (unsigned i = 0; i < 2; i++) {
        int32_t x = (int16_t)(A32 >> (16 * i));

        low += (uint32_t)(x * (int8_t)(B32 >> (8 * i)));
        high += (uint32_t)(x * (int8_t)(B32 >> (8 * i + 16)));
    }
    d[0] = u;
    d[1] = s;
    d[2] = low;
    d[3] = high;
}

static void
test_bits(void **state)
{
    static const struct snippet list[] = {
        {"counts", NULL,
         "popc.b32 %r3, %r0; popc.b64 %r4, %a; mov.b64 %d0, {%r4, %r3};\n"
         "clz.b32 %r3, %r0; clz.b64 %r4, %a; mov.b64 %d1, {%r4, %r3};\n"
         "brev.b64 %d2, %a; brev.b32 %r3, %r0; cvt.u64.u32 %d3, %r3;",
         counts, IN_D},
        {"highest_bits", NULL,
         "bfind.u32 %r3, %r0; bfind.s64 %r4, %a; mov.b64 %d0, {%r4, %r3};\n"
         "bfind.s32 %r3, %r0; cvt.u64.u32 %d1, %r3; bfind.shiftamt.u32 %r3, %r0;\n"
         "cvt.u64.u32 %d2, %r3; bfind.shiftamt.s64 %r3, %a; cvt.u64.u32 %d3, %r3;",
         highest_bits, IN_D},
        {"fields", NULL,
         "and.b32 %r3, %r1, 63; and.b32 %r4, %r2, 63; bfe.u64 %d0, %a, %r3, %r4;\n"
         "bfe.s64 %d2, %a, %r3, %r4; bfi.b64 %d3, %b, %a, %r3, %r4;\n"
         "and.b32 %r3, %r1, 31; and.b32 %r4, %r2, 31; bfe.s32 %r5, %r0, %r3, %r4;\n"
         "cvt.u64.u32 %d1, %r5;",
         fields, IN_D},
        {"found_bits", NULL,
         "and.b32 %r3, %r1, 31; fns.b32 %r4, %r0, %r3, 3; cvt.u64.u32 %d0, %r4;\n"
         "fns.b32 %r4, %r0, %r3, -2; cvt.u64.u32 %d1, %r4;\n"
         "fns.b32 %r4, %r0, %r3, 0; cvt.u64.u32 %d2, %r4;",
         found_bits, IN_D},
        {"funnels", NULL,
         "shf.l.clamp.b32 %r3, %r0, %r1, %r2; cvt.u64.u32 %d0, %r3;\n"
         "shf.r.clamp.b32 %r3, %r0, %r1, %r2; cvt.u64.u32 %d1, %r3;\n"
         "shf.l.wrap.b32 %r3, %r0, %r1, %r2; cvt.u64.u32 %d2, %r3;\n"
         "shf.r.wrap.b32 %r3, %r0, %r1, %r2; cvt.u64.u32 %d3, %r3;",
         funnels, IN_D},
        {"shifts", NULL,
         "and.b32 %r3, %r1, 0x7f; shl.b64 %d0, %a, %r3; shr.u64 %d1, %a, %r3;\n"
         "shr.s64 %d2, %a, %r3; shl.b32 %r4, %r0, %r3; shr.s32 %r5, %r0, %r3;\n"
         "mov.b64 %d3, {%r5, %r4};",
         shifts, IN_D},
        {"permutations", NULL,
         "prmt.b32 %r3, %r0, %r1, %r2; cvt.u64.u32 %d0, %r3;\n"
         "prmt.b32.f4e %r3, %r0, %r1, %r2; prmt.b32.b4e %r4, %r0, %r1, %r2;\n"
         "mov.b64 %d1, {%r4, %r3};\n"
         "prmt.b32.rc8 %r3, %r0, %r1, %r2; prmt.b32.ecl %r4, %r0, %r1, %r2;\n"
         "mov.b64 %d2, {%r4, %r3};\n"
         "prmt.b32.ecr %r3, %r0, %r1, %r2; prmt.b32.rc16 %r4, %r0, %r1, %r2;\n"
         "mov.b64 %d3, {%r4, %r3};",
         permutations, IN_D},
        {"tables", NULL,
         "lop3.b32 %r3, %r0, %r1, %r2, 0x1a; lop3.b32 %r4, %r0, %r1, %r2, 0x80;\n"
         "mov.b64 %d0, {%r4, %r3}; lop3.b32 %r3, %r0, %r1, %r2, 0xfe;\n"
         "lop3.b32 %r4, %r0, %r1, %r2, 0x96; mov.b64 %d1, {%r4, %r3};\n"
         "lop3.b32 %r3, %r0, %r1, %r2, 0xca; lop3.b32 %r4, %r0, %r1, %r2, 0;\n"
         "mov.b64 %d2, {%r4, %r3}; setp.eq.u32 %p0, %r0, %r1;\n"
         "lop3.or.b32 %r3|%p1, %r0, %r1, %r2, 0x40, %p0; selp.b64 %d3, 1, 0, %p1;",
         tables, IN_D},
        {"logic", NULL,
         "and.b64 %l0, %a, %b; or.b64 %l1, %b, %c; xor.b64 %d0, %l0, %l1;\n"
         "not.b64 %d1, %a; cnot.b32 %r3, %r0; cvt.u64.u32 %d2, %r3;\n"
         "cvt.u16.u64 %h0, %l0; not.b16 %h1, %h0; cvt.u64.u16 %d3, %h1;",
         logic, IN_D},
        {"masks", NULL,
         "and.b32 %r3, %r1, 63; and.b32 %r4, %r0, 63;\n"
         "bmsk.clamp.b32 %r5, %r4, %r3; cvt.u64.u32 %d0, %r5;\n"
         "szext.clamp.s32 %r5, %r0, %r3; cvt.u64.u32 %d1, %r5;\n"
         "szext.clamp.u32 %r5, %r0, %r3; cvt.u64.u32 %d2, %r5;",
         masks, IN_D},
        {"dot_products", NULL,
         "dp4a.u32.u32 %r3, %r0, %r1, %r2; cvt.u64.u32 %d0, %r3;\n"
         "dp4a.s32.u32 %r3, %r0, %r1, %r2; cvt.u64.u32 %d1, %r3;\n"
         "dp2a.lo.s32.s32 %r3, %r0, %r1, %r2; cvt.u64.u32 %d2, %r3;\n"
         "dp2a.hi.s32.s32 %r3, %r0, %r1, %r2; cvt.u64.u32 %d3, %r3;",
         dot_products, IN_D},
    };

    (void)state;
    SNIPPETS_RUN(list);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bits),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
