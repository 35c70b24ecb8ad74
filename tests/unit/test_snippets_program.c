// links: exec ptx snippet
/* Memory, warps, barriers and control flow, as programs of strangers use them (PTX ISA 5,
 * 7, 9.7.9, .12, .13, 10). */
#include "../fixtures/snippet.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { WARP = 32 };

/* The thread's 32 bytes of shared memory at %r9, and its lane in %r10. */
#define OWN_TILE "mov.u32 %r9, tile; mad.lo.u32 %r9, %t, 32, %r9; and.b32 %r10, %t, 31;\n"

/* --- memory ---------------------------------------------------------------------- */

EXPECT(widths)
{
    d[0] = (uint64_t)(int64_t)(int8_t)A ^ (uint8_t)(A >> 8);
    d[1] = (uint64_t)(int64_t)(int16_t)(A >> 16) ^ (uint16_t)(A >> 32);
    d[2] = (uint64_t)(int64_t)(int32_t)(A >> 32);
    d[3] = (A & ~(uint64_t)0xff00) | (uint64_t)(uint8_t)B << 8;
}

EXPECT(vectors)
{
    d[0] = both((uint32_t)(B >> 32), (uint32_t)A);
    d[1] = both((uint32_t)B, (uint32_t)(A >> 32));
    d[2] = both((uint32_t)(A & 0xffff) << 16 | (uint16_t)(A >> 48),
                (uint32_t)(A >> 32 & 0xffff) << 16 | (uint16_t)(A >> 16));
    d[3] = A + B;
}

EXPECT(spaces)
{
    (void)in;
    (void)t;
    d[0] = 1 | 2 << 4 | 4 << 8 | 8 << 12;
    d[1] = A;
    d[2] = B;
    d[3] = C;
}

EXPECT(cached)
{
    d[0] = A + B;
    d[1] = A ^ C;
    d[2] = B;
    d[3] = C;
}

EXPECT(constants)
{
    static const uint32_t numbers[] = {3, 1, 4, 1, 5, 9, 2, 6};

    (void)in;
    d[0] = numbers[t % 8];
    d[1] = numbers[2] + numbers[5];
    d[2] = 0x3fc00000;
    d[3] = 0xfffffffffffffffeu;
}

EXPECT(local_arrays)
{
    d[0] = t % 4 == 0 ? A : t % 4 == 1 ? B : t % 4 == 2 ? C : A + B;
    d[1] = B ^ C;
}

static void
test_memory(void **state)
{
    static const struct snippet list[] = {
        {"widths", NULL,
         "st.global.u64 [%g], %a; ld.global.s8 %l0, [%g]; ld.global.u8 %l1, [%g+1];\n"
         "xor.b64 %d0, %l0, %l1; ld.global.s16 %l0, [%g+2]; ld.global.u16 %l1, [%g+4];\n"
         "xor.b64 %d1, %l0, %l1; ld.global.s32 %d2, [%g+4]; st.global.u8 [%g+1], %b;\n"
         "ld.global.b64 %d3, [%g];",
         widths, IN_D},
        {"vectors", NULL,
         OWN_TILE "mov.b64 {%r0, %r1}, %a; mov.b64 {%r2, %r3}, %b;\n"
                  "st.shared.v4.b32 [%r9], {%r0, %r3, %r1, %r2};\n"
                  "ld.shared.v2.b64 {%d0, %d1}, [%r9];\n"
                  "st.shared.v2.b32 [%r9+16], {%r0, %r1};\n"
                  "ld.shared.v4.u16 {%h0, %h1, %h2, %h3}, [%r9+16];\n"
                  "mov.b64 %d2, {%h1, %h2, %h3, %h0};\n"
                  "st.global.v2.u64 [%g], {%a, %b}; ld.global.v2.u64 {%l0, %l1}, [%g];\n"
                  "add.u64 %d3, %l0, %l1;",
         vectors, IN_D},
        {"spaces", NULL,
         OWN_TILE
         ".local .align 8 .b8 own[16];\n"
         "cvt.u64.u32 %l0, %r9; cvta.shared.u64 %l0, %l0; mov.u64 %l1, own;\n"
         "cvta.local.u64 %l1, %l1; cvta.global.u64 %l2, %g;\n"
         "isspacep.shared %p0, %l0; isspacep.local %p1, %l1; isspacep.global %p2, %l2;\n"
         "isspacep.shared %p3, %l2; isspacep.global %p4, %l1; or.pred %p3, %p3, %p4;\n"
         "selp.b64 %d0, 1, 0, %p0; @%p1 or.b64 %d0, %d0, 32; @%p2 or.b64 %d0, %d0, "
         "1024;\n"
         "@!%p3 or.b64 %d0, %d0, 32768;\n"
         "st.u64 [%l0], %a; st.u64 [%l1+8], %b; st.u64 [%l2], %c;\n"
         "ld.shared.u64 %d1, [%r9]; cvta.to.local.u64 %l3, %l1;\n"
         "ld.local.u64 %d2, [%l3+8]; ld.global.u64 %d3, [%g];",
         spaces, IN_D},
        {"cached", NULL,
         "st.global.wb.u64 [%g], %a; st.global.cg.u64 [%g+8], %b;\n"
         "st.volatile.global.u64 [%g+16], %c; ld.global.ca.u64 %l0, [%g];\n"
         "ld.global.cg.L2::128B.u64 %l1, [%g+8]; ld.relaxed.gpu.global.u64 %l2, "
         "[%g+16];\n"
         "add.u64 %d0, %l0, %l1; xor.b64 %d1, %l0, %l2;\n"
         "prefetch.global.L1 [%g]; prefetch.global.L2::evict_last [%g];\n"
         "ld.global.L1::no_allocate.u64 %d2, [%g+8]; fence.acq_rel.sys; membar.gl;\n"
         "st.release.gpu.global.u64 [%g+24], %c; ld.acquire.gpu.global.u64 %d3, [%g+24];",
         cached, IN_D},
        {"constants",
         ".const .align 4 .u32 numbers[8] = {3, 1, 4, 1, 5, 9, 2, 6};\n"
         ".global .align 4 .f32 half = 0f3fc00000;\n"
         ".global .align 8 .s64 minus = -2;\n"
         ".global .align 8 .u64 pointer = minus;\n",
         "and.b32 %r0, %t, 7; mov.u64 %l0, numbers; mad.wide.u32 %l0, %r0, 4, %l0;\n"
         "ld.const.u32 %r1, [%l0]; cvt.u64.u32 %d0, %r1;\n"
         "ld.const.u32 %r1, [numbers+8]; ld.const.u32 %r2, [numbers+20];\n"
         "add.u32 %r1, %r1, %r2; cvt.u64.u32 %d1, %r1;\n"
         "ld.global.u32 %r1, [half]; cvt.u64.u32 %d2, %r1;\n"
         "ld.global.u64 %l1, [pointer]; ld.global.u64 %d3, [%l1];",
         constants, IN_D},
        {"local_arrays", NULL,
         ".local .align 8 .u64 array[4];\n"
         "add.u64 %l0, %a, %b; st.local.u64 [array], %a; st.local.u64 [array+8], %b;\n"
         "st.local.u64 [array+16], %c; st.local.u64 [array+24], %l0;\n"
         "and.b32 %r0, %t, 3; mov.u64 %l1, array; mad.wide.u32 %l1, %r0, 8, %l1;\n"
         "ld.local.u64 %d0, [%l1]; alloca.u64 %l2, 64; xor.b64 %l3, %b, %c;\n"
         "st.local.u64 [%l2+8], %l3; ld.local.u64 %d1, [%l2+8];",
         local_arrays, IN_D},
    };

    (void)state;
    SNIPPETS_RUN(list);
}

/* --- atomics and asynchronous copies --------------------------------------------- */

EXPECT(reductions)
{
    uint32_t sum = 0, most = 0, least = UINT32_MAX, some = 0;

    (void)t;
    for (unsigned i = 0; i < SNIPPET_THREADS; i++) {
        uint32_t x = (uint32_t)in->a[i];

        sum += x;
        most = x > most ? x : most;
        least = x < least ? x : least;
        some ^= x;
    }
    d[0] = both(most, sum);
    d[1] = both(some, least);
}

EXPECT(exchanges)
{
    (void)in;
    (void)t;
    d[0] = both(SNIPPET_THREADS % 100, SNIPPET_THREADS);
    d[1] = (uint64_t)SNIPPET_THREADS * (SNIPPET_THREADS - 1) / 2;
    d[2] = 0x42fe0000; /* 127 */
    d[3] = 1;
}

EXPECT(wide_atomics)
{
    uint64_t sum = 0, all = UINT64_MAX;
    int64_t most = INT64_MIN;

    (void)t;
    for (unsigned i = 0; i < SNIPPET_THREADS; i++) {
        sum += in->a[i];
        all &= in->b[i] | 0xff00;
        if ((int64_t)in->c[i] > most)
            most = (int64_t)in->c[i];
    }
    d[0] = sum;
    d[1] = all;
    d[2] = (uint64_t)most;
    d[3] = 0x4060000000000000u; /* 128.0 */
}

EXPECT(copies)
{
    d[0] = A;
    d[1] = both(0, (uint32_t)B);
    d[2] = A;
    d[3] = B;
}

EXPECT(phases)
{
    (void)in;
    d[0] = 1;
    d[2] = (t + 1) % SNIPPET_THREADS;
}

static void
test_atomics(void **state)
{
    static const struct snippet list[] = {
        {"reductions", NULL,
         "cvt.u32.u64 %r0, %a; setp.eq.u32 %p0, %t, 0; @%p0 st.global.u32 [%e+8], -1;\n"
         "bar.sync 0; red.global.add.u32 [%e], %r0; red.global.max.u32 [%e+4], %r0;\n"
         "red.relaxed.gpu.global.min.u32 [%e+8], %r0; red.global.xor.b32 [%e+12], %r0;\n"
         "bar.sync 0; ld.global.v2.b64 {%d0, %d1}, [%e];",
         reductions, IN_D},
        {"exchanges", NULL,
         "setp.eq.u32 %p0, %t, 0; @%p0 st.global.v4.u32 [%e+64], {%t, %t, %t, %t};\n"
         "@%p0 st.global.u64 [%e+80], 0; bar.sync 0;\n"
         "atom.global.inc.u32 %r0, [%e+64], 1000; atom.global.inc.u32 %r1, [%e+68], 99;\n"
         "AGAIN: ld.volatile.global.u32 %r2, [%e+72]; add.u32 %r3, %r2, %t;\n"
         "atom.global.cas.b32 %r4, [%e+72], %r2, %r3; setp.ne.u32 %p1, %r4, %r2;\n"
         "@%p1 bra AGAIN; mov.b32 %f0, 0f3f800000; setp.ne.u32 %p2, %t, 1;\n"
         "@%p2 atom.global.add.f32 %f1, [%e+80], %f0; bar.sync 0;\n"
         "atom.global.exch.b32 %r5, [%e+88], 1; bar.sync 0;\n"
         "ld.global.u64 %d0, [%e+64]; ld.global.u32 %d1, [%e+72];\n"
         "ld.global.u32 %d2, [%e+80]; ld.global.u32 %d3, [%e+88];",
         exchanges, IN_D},
        {"wide_atomics", NULL,
         "mov.u32 %r0, tile; setp.eq.u32 %p0, %t, 0; @%p0 st.shared.u64 [%r0], 0;\n"
         "@%p0 st.shared.u64 [%r0+8], -1; mov.b64 %l0, 0x8000000000000000;\n"
         "@%p0 st.shared.u64 [%r0+16], %l0; @%p0 st.shared.u64 [%r0+24], 0;\n"
         "bar.sync 0; atom.shared.add.u64 %l1, [%r0], %a; or.b64 %l2, %b, 0xff00;\n"
         "atom.shared.and.b64 %l1, [%r0+8], %l2; atom.shared.max.s64 %l1, [%r0+16], %c;\n"
         "mov.f64 %x0, 0d3ff0000000000000; atom.shared.add.f64 %x1, [%r0+24], %x0;\n"
         "bar.sync 0; ld.shared.v2.u64 {%d0, %d1}, [%r0];\n"
         "ld.shared.v2.u64 {%d2, %d3}, [%r0+16];",
         wide_atomics, IN_D},
        {"copies", NULL,
         OWN_TILE
         "st.global.v2.u64 [%g], {%a, %b}; cp.async.ca.shared.global [%r9], [%g], 8;\n"
         "cp.async.ca.shared.global [%r9+8], [%g+8], 8, 4;\n"
         "cp.async.cg.shared.global.L2::128B [%r9+16], [%g], 16;\n"
         "cp.async.commit_group; cp.async.wait_group 0;\n"
         "ld.shared.v2.u64 {%d0, %d1}, [%r9]; ld.shared.v2.u64 {%d2, %d3}, [%r9+16];",
         copies, IN_D},
        {"phases", ".shared .align 8 .b64 object;\n",
         "mov.u32 %r0, object; setp.eq.u32 %p0, %t, 0;\n"
         "@%p0 mbarrier.init.shared.b64 [%r0], 128; bar.sync 0;\n"
         "mov.u32 %r1, tile; mad.lo.u32 %r2, %t, 4, %r1; st.shared.u32 [%r2], %t;\n"
         "mbarrier.arrive.shared.b64 %l0, [%r0];\n"
         "WAIT: mbarrier.test_wait.shared.b64 %p1, [%r0], %l0; @!%p1 bra WAIT;\n"
         "mbarrier.test_wait.parity.shared.b64 %p2, [%r0], 0;\n"
         "mbarrier.test_wait.parity.shared.b64 %p3, [%r0], 1;\n"
         "selp.b64 %d0, 1, 0, %p2; selp.b64 %d1, 1, 0, %p3;\n"
         "add.u32 %r3, %t, 1; and.b32 %r3, %r3, 127;\n"
         "mad.lo.u32 %r3, %r3, 4, %r1; ld.shared.u32 %d2, [%r3];",
         phases, IN_D},
    };

    (void)state;
    SNIPPETS_RUN(list);
}

/* --- warps ----------------------------------------------------------------------- */

EXPECT(votes)
{
    uint32_t ballot = 0;
    bool all = true;

    for (unsigned i = 0; i < WARP; i++) {
        bool odd = (in->a[t / WARP * WARP + i] & 1) != 0;

        ballot |= (uint32_t)odd << i;
        all = all && odd;
    }
    d[0] = ballot;
    d[1] = (uint64_t)all | (uint64_t)(ballot != 0) << 1 |
           (uint64_t)(all || ballot == 0) << 2;
    d[2] = t % WARP < 7 ? 0x7f : 0xffffff80;
}

EXPECT(matches)
{
    uint32_t same = 0;

    for (unsigned i = 0; i < WARP; i++)
        if ((in->a[t / WARP * WARP + i] & 3) == (A & 3))
            same |= 1u << i;
    d[0] = same;
    d[1] = same == UINT32_MAX ? UINT32_MAX : 0;
    d[2] = UINT32_MAX;
}

EXPECT(warp_sums)
{
    uint32_t sum = 0, all = UINT32_MAX, some = 0, most = 0;
    int32_t least = INT32_MAX;

    for (unsigned i = 0; i < WARP; i++) {
        uint32_t x = (uint32_t)in->a[t / WARP * WARP + i];

        sum += x;
        all &= x | 0xf0;
        some |= x;
        most = x > most ? x : most;
        least = (int32_t)x < least ? (int32_t)x : least;
    }
    d[0] = sum;
    d[1] = both(some, all);
    d[2] = both((uint32_t)least, most);
}

EXPECT(shuffles)
{
    unsigned warp = t / WARP * WARP, lane = t % WARP, segment = lane & ~7u;

    d[0] = (uint32_t)in->a[warp + (lane ^ 5)];
    d[1] = (uint32_t)in->a[warp + (lane >= segment + 3 ? lane - 3 : lane)] |
           (uint64_t)(lane >= segment + 3) << 32;
    d[2] = (uint32_t)in->a[warp + (lane + 9 < WARP ? lane + 9 : lane)];
    d[3] = (uint32_t)in->a[warp + (segment | (unsigned)(B & 7))];
}

EXPECT(block_barriers)
{
    uint32_t odd = 0;

    for (unsigned i = 0; i < SNIPPET_THREADS; i++)
        odd += (uint32_t)(in->a[i] & 1);
    d[0] = odd;
    d[1] = (uint64_t)(odd == SNIPPET_THREADS) | (uint64_t)(odd != 0) << 1;
    d[2] = t < 64 ? 0 : (uint32_t)in->b[t - 64];
}

EXPECT(registers)
{
    uint32_t lane = t % WARP;

    (void)in;
    d[0] = both(lane, SNIPPET_THREADS);
    d[1] = both(1u << lane, lane == 31 ? 0 : UINT32_MAX << (lane + 1));
    d[2] = both((1u << lane) - 1, t / WARP);
    d[3] = 1;
}

static void
test_warps(void **state)
{
    static const struct snippet list[] = {
        {"votes", NULL,
         OWN_TILE "and.b64 %l0, %a, 1; setp.ne.u64 %p0, %l0, 0;\n"
                  "vote.sync.ballot.b32 %r0, %p0, -1; cvt.u64.u32 %d0, %r0;\n"
                  "vote.sync.all.pred %p1, %p0, -1; vote.sync.any.pred %p2, %p0, -1;\n"
                  "vote.sync.uni.pred %p3, %p0, -1; selp.b64 %d1, 1, 0, %p1;\n"
                  "@%p2 or.b64 %d1, %d1, 2; @%p3 or.b64 %d1, %d1, 4;\n"
                  "setp.lt.u32 %p4, %r10, 7; @%p4 bra FEW; activemask.b32 %r1;\n"
                  "bra.uni DONE; FEW: activemask.b32 %r1; DONE: cvt.u64.u32 %d2, %r1;",
         votes, IN_D},
        {"matches", NULL,
         "and.b64 %l0, %a, 3; cvt.u32.u64 %r0, %l0;\n"
         "match.any.sync.b32 %r1, %r0, -1; cvt.u64.u32 %d0, %r1;\n"
         "match.all.sync.b64 %r2|%p0, %l0, -1; cvt.u64.u32 %d1, %r2;\n"
         "match.all.sync.b32 %r3|%p1, 7, -1; cvt.u64.u32 %d2, %r3;",
         matches, IN_D},
        {"warp_sums", NULL,
         "or.b32 %r3, %r0, 0xf0; redux.sync.add.u32 %r4, %r0, -1;\n"
         "cvt.u64.u32 %d0, %r4; redux.sync.and.b32 %r5, %r3, -1;\n"
         "redux.sync.or.b32 %r6, %r0, -1; mov.b64 %d1, {%r5, %r6};\n"
         "redux.sync.max.u32 %r7, %r0, -1; redux.sync.min.s32 %r8, %r0, -1;\n"
         "mov.b64 %d2, {%r7, %r8};",
         warp_sums, IN_D},
        {"shuffles", NULL,
         "shfl.sync.bfly.b32 %r3, %r0, 5, 0x1f, -1; cvt.u64.u32 %d0, %r3;\n"
         "shfl.sync.up.b32 %r3|%p0, %r0, 3, 0x1800, -1; cvt.u64.u32 %d1, %r3;\n"
         "@%p0 or.b64 %d1, %d1, 0x100000000;\n"
         "shfl.sync.down.b32 %r3, %r0, 9, 0x1f, -1; cvt.u64.u32 %d2, %r3;\n"
         "and.b32 %r4, %r1, 7; shfl.sync.idx.b32 %r3, %r0, %r4, 0x181f, -1;\n"
         "cvt.u64.u32 %d3, %r3;",
         shuffles, IN_D},
        {"block_barriers", NULL,
         "and.b64 %l0, %a, 1; setp.ne.u64 %p0, %l0, 0;\n"
         "bar.red.popc.u32 %r0, 1, %p0; cvt.u64.u32 %d0, %r0;\n"
         "bar.red.and.pred %p1, 1, %p0; bar.red.or.pred %p2, 1, %p0;\n"
         "selp.b64 %d1, 1, 0, %p1; @%p2 or.b64 %d1, %d1, 2;\n"
         "cvt.u32.u64 %r1, %b; mov.u32 %r2, tile; mad.lo.u32 %r3, %t, 4, %r2;\n"
         "setp.lt.u32 %p3, %t, 64; @!%p3 bra TAKE; st.shared.u32 [%r3], %r1;\n"
         "bar.arrive 2, 128; bra END; TAKE: bar.sync 2, 128;\n"
         "ld.shared.u32 %r4, [%r3+-256]; cvt.u64.u32 %d2, %r4; END: bar.sync 0;",
         block_barriers, IN_D},
        {"special_registers", NULL,
         "mov.u32 %r0, %laneid; mov.u32 %r1, %ntid.x; mov.b64 %d0, {%r1, %r0};\n"
         "mov.u32 %r0, %lanemask_eq; mov.u32 %r1, %lanemask_gt; mov.b64 %d1, {%r1, "
         "%r0};\n"
         "mov.u32 %r0, %lanemask_lt; shr.u32 %r1, %t, 5; mov.b64 %d2, {%r1, %r0};\n"
         "mov.u64 %l0, %clock64; nanosleep.u32 100; mov.u64 %l1, %clock64;\n"
         "setp.gt.u64 %p0, %l1, %l0; selp.b64 %d3, 1, 0, %p0;",
         registers, IN_D},
    };

    (void)state;
    SNIPPETS_RUN(list);
}

/* --- control flow ---------------------------------------------------------------- */

EXPECT(tabled)
{
    static const uint64_t values[] = {10, 21, 32, 43};

    (void)in;
    d[0] = values[t % 4] + (t % 4 == 1 ? 100 : 0);
}

EXPECT(called)
{
    d[0] = A + B + 7;
    d[1] = A * 3;
    d[2] = both((uint32_t)A, (uint32_t)(A >> 32));
    d[3] = A ^ B;
}

EXPECT(vectors_passed)
{
    d[0] = both((uint32_t)A, (uint32_t)(A >> 32));
    d[1] = (uint32_t)B + 5;
    d[2] = both((uint32_t)(A >> 32) + (uint32_t)B, (uint32_t)A + (uint32_t)B);
    d[3] = A ^ B;
}

EXPECT(predicates_passed)
{
    bool odd = (A & 1) != 0, less = (int64_t)A < (int64_t)B;

    d[0] = (uint64_t)(odd && less) | (uint64_t)(odd || less) << 1;
    d[1] = less ? 40 : 41;
    d[2] = odd;
}

EXPECT(pointers_called)
{
    d[0] = t % 2 == 0 ? A + 1 : A - 1;
    d[1] = t % 3 == 0 ? B + 1 : B - 1;
}

EXPECT(recursive)
{
    uint64_t a = 0, b = 1;

    (void)in;
    for (unsigned i = 0; i < t % 10; i++) {
        uint64_t next = a + b;

        a = b;
        b = next;
    }
    d[0] = a;
}

EXPECT(loops)
{
    uint64_t steps = 0, x = (A & 0xff) + 1;

    while (x != 1) {
        x = (x & 1) != 0 ? 3 * x + 1 : x / 2;
        steps++;
    }
    d[0] = steps;
    d[1] = (A & 1) != 0 ? B : C;
}

static void
test_control(void **state)
{
    static const struct snippet list[] = {
        {"tabled", NULL,
         "and.b32 %r0, %t, 3; TABLE: .branchtargets L0, L1, L2, L3;\n"
         "brx.idx %r0, TABLE; L0: mov.b64 %d0, 10; bra END; L1: mov.b64 %d0, 121;\n"
         "bra END; L2: mov.b64 %d0, 32; bra END; L3: mov.b64 %d0, 43; END:",
         tabled, IN_D},
        {"called",
         ".func (.param .b64 r) plus(.param .b64 x, .param .b64 y)\n"
         "{ .reg .b64 %q<3>; ld.param.u64 %q0, [x]; ld.param.u64 %q1, [y];\n"
         "add.u64 %q2, %q0, %q1; st.param.u64 [r], %q2; ret; }\n"
         ".func (.reg .b64 r) thrice(.reg .b64 x) { mul.lo.u64 r, x, 3; ret; }\n"
         ".func (.param .align 8 .b8 r[16]) pair(.param .align 8 .b8 x[16])\n"
         "{ .reg .b32 %q<2>; .reg .b64 %w<3>; ld.param.v2.u32 {%q0, %q1}, [x];\n"
         "ld.param.u64 %w0, [x]; ld.param.u64 %w1, [x+8]; xor.b64 %w2, %w0, %w1;\n"
         "st.param.v2.b32 [r], {%q1, %q0}; st.param.u64 [r+8], %w2; ret; }\n",
         "{ .param .b64 p0; .param .b64 p1; .param .b64 q; st.param.u64 [p0], %a;\n"
         "st.param.u64 [p1], %b; call (q), plus, (p0, p1); ld.param.u64 %l0, [q]; }\n"
         "add.u64 %d0, %l0, 7; call (%d1), thrice, (%a);\n"
         "{ .param .align 8 .b8 p[16]; .param .align 8 .b8 q[16]; st.param.u64 [p], %a;\n"
         "st.param.u64 [p+8], %b; call.uni (q), pair, (p); ld.param.u64 %d2, [q];\n"
         "ld.param.u64 %d3, [q+8]; }",
         called, IN_D},
        {"vectors_passed",
         ".func (.reg .v2 .u32 r) swap(.reg .v2 .u32 x)\n"
         "{ mov.u32 r.x, x.y; mov.u32 r.y, x.x; ret; }\n"
         ".func (.reg .v2 .u32 r, .reg .u32 s) sum(.reg .v2 .u32 x, .reg .u32 n)\n"
         "{ add.u32 r.x, x.x, n; add.u32 r.y, x.y, n; add.u32 s, n, 5; ret; }\n"
         ".func (.reg .b64 r) fold(.reg .v2 .b64 x) { xor.b64 r, x.x, x.y; ret; }\n",
         ".reg .v2 .u32 %v, %w; .reg .v2 .b64 %z;\n"
         "mov.b64 {%r3, %r4}, %a; mov.u32 %v.x, %r3; mov.u32 %v.y, %r4;\n"
         "call (%w), swap, (%v); mov.b64 %d0, {%w.x, %w.y};\n"
         "call (%w, %r5), sum, (%v, %r1); cvt.u64.u32 %d1, %r5;\n"
         "mov.b64 %d2, {%w.x, %w.y}; mov.b64 %z.x, %a; mov.b64 %z.y, %b;\n"
         "call (%d3), fold, (%z);",
         vectors_passed, IN_D},
        {"predicates_passed",
         ".func (.reg .pred r, .reg .pred s) combine(.reg .pred x, .reg .pred y)\n"
         "{ and.pred r, x, y; or.pred s, x, y; ret; }\n"
         ".func (.reg .u32 n, .reg .pred r) choose(.reg .pred x, .reg .u32 z)\n"
         "{ not.pred r, x; selp.u32 n, 40, z, x; @x ret; add.u32 n, n, 1; ret; }\n",
         "and.b64 %l0, %a, 1; setp.ne.u64 %p0, %l0, 0; setp.lt.s64 %p1, %a, %b;\n"
         "call (%p2, %p3), combine, (%p0, %p1); selp.b64 %d0, 1, 0, %p2;\n"
         "@%p3 or.b64 %d0, %d0, 2; call (%r0, %p4), choose, (%p1, 40);\n"
         "cvt.u64.u32 %d1, %r0; not.pred %p5, %p0;\n"
         "call (%r1, %p6), choose, (%p5, 1); selp.b64 %d2, 1, 0, %p6;",
         predicates_passed, IN_D},
        {"pointers_called",
         ".func (.param .b64 r) up(.param .b64 x)\n"
         "{ .reg .b64 %q; ld.param.u64 %q, [x]; add.u64 %q, %q, 1;\n"
         "st.param.u64 [r], %q; ret; }\n"
         ".func (.param .b64 r) down(.param .b64 x)\n"
         "{ .reg .b64 %q; ld.param.u64 %q, [x]; sub.u64 %q, %q, 1;\n"
         "st.param.u64 [r], %q; ret; }\n"
         ".global .align 8 .u64 both[2] = {up, down};\n",
         "and.b32 %r0, %t, 1; mov.u64 %l0, both; mad.wide.u32 %l0, %r0, 8, %l0;\n"
         "ld.global.u64 %l1, [%l0]; rem.u32 %r1, %t, 3; setp.eq.u32 %p0, %r1, 0;\n"
         "mov.u64 %l2, up; mov.u64 %l3, down; selp.b64 %l4, %l2, %l3, %p0;\n"
         "PROTO: .callprototype (.param .b64 _) _ (.param .b64 _);\n"
         "LIST: .calltargets up, down;\n"
         "{ .param .b64 p; .param .b64 q; st.param.u64 [p], %a;\n"
         "call (q), %l1, (p), PROTO; ld.param.u64 %d0, [q]; }\n"
         "{ .param .b64 p; .param .b64 q; st.param.u64 [p], %b;\n"
         "call (q), %l4, (p), LIST; ld.param.u64 %d1, [q]; }",
         pointers_called, IN_D},
        {"recursive",
         ".func (.param .b64 r) fibonacci(.param .b32 n)\n"
         "{ .reg .b32 %n<3>; .reg .b64 %v<3>; .reg .pred %q; ld.param.u32 %n0, [n];\n"
         "setp.gt.u32 %q, %n0, 1; @%q bra MORE; cvt.u64.u32 %v0, %n0;\n"
         "st.param.u64 [r], %v0; ret; MORE: sub.u32 %n1, %n0, 1; sub.u32 %n2, %n0, 2;\n"
         "{ .param .b32 p; .param .b64 q; st.param.u32 [p], %n1;\n"
         "call (q), fibonacci, (p); ld.param.u64 %v0, [q]; }\n"
         "{ .param .b32 p; .param .b64 q; st.param.u32 [p], %n2;\n"
         "call (q), fibonacci, (p); ld.param.u64 %v1, [q]; }\n"
         "add.u64 %v2, %v0, %v1; st.param.u64 [r], %v2; ret; }\n",
         "rem.u32 %r0, %t, 10; { .param .b32 p; .param .b64 q; st.param.u32 [p], %r0;\n"
         "call (q), fibonacci, (p); ld.param.u64 %d0, [q]; }",
         recursive, IN_D},
        {"loops", NULL,
         "and.b64 %l0, %a, 0xff; add.u64 %l0, %l0, 1;\n"
         "NEXT: setp.eq.u64 %p0, %l0, 1; @%p0 bra END; and.b64 %l1, %l0, 1;\n"
         "setp.ne.u64 %p1, %l1, 0; @%p1 mad.lo.u64 %l0, %l0, 3, 1;\n"
         "@!%p1 shr.u64 %l0, %l0, 1; add.u64 %d0, %d0, 1; bra NEXT; END:\n"
         "and.b64 %l1, %a, 1; setp.ne.u64 %p2, %l1, 0; @%p2 bra.uni ODD;\n"
         "mov.b64 %d1, %c; bra OUT; ODD: mov.b64 %d1, %b; OUT:",
         loops, IN_D},
    };

    (void)state;
    SNIPPETS_RUN(list);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_atomics),
        cmocka_unit_test(test_warps),
        cmocka_unit_test(test_control),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
