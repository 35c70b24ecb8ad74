// links: exec ptx ptx_lines
/*
 * Asynchronous copies and mbarriers, form by form: kernels of a few PTX lines and what
 * the PTX ISA says they leave in memory.
 */
#include "../fixtures/ptx_lines.h"

#include "emulator/exec/exec.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* --- cp.async ----------------------------------------------------------------------- */

/* %r0: the thread's 16 bytes of the tile; %x0: of in, %x1: of out */
#define SIXTEEN                                                                          \
    "mov.u32 %r0, tile;\nmad.lo.u32 %r0, %t, 16, %r0;\n"                                 \
    "mad.wide.u32 %x0, %t, 16, %in;\nmad.wide.u32 %x1, %t, 16, %out;\n"
#define CLEAR "mov.u32 %r9, 7;\nst.shared.v4.b32 [%r0], {%r9, %r9, %r9, %r9};\n"
#define GIVE                                                                             \
    "ld.shared.v4.b32 {%r1, %r2, %r3, %r4}, [%r0];\n"                                    \
    "st.global.v4.b32 [%x1], {%r1, %r2, %r3, %r4};\n"

/* Each copies the start of the thread's 16 bytes and leaves or clears the rest. */
static void
test_copies(void **state)
{
    static const struct {
        const char *copy;
        unsigned copied, zeros; /* words; what follows keeps its 7 */
    } cases[] = {
        {"cp.async.ca.shared.global [%r0], [%x0], 4;", 1, 0},
        {"cp.async.ca.shared.global [%r0], [%x0], 8;", 2, 0},
        {"cp.async.ca.shared.global [%r0], [%x0], 16;", 4, 0},
        {"cp.async.cg.shared.global [%r0], [%x0], 16;", 4, 0},
        {"cp.async.cg.shared::cta.global.L2::128B [%r0], [%x0], 16;", 4, 0},
        {"cp.async.ca.shared.global.L2::256B [%r0+8], [%x0+8], 8;\n"
         "cp.async.ca.shared.global [%r0], [%x0], 8;",
         4, 0},
        {"mov.u32 %r5, 8;\ncp.async.ca.shared.global [%r0], [%x0], 16, %r5;", 2, 2},
        {"cp.async.cg.shared.global [%r0], [%x0], 16, 0;", 0, 4},
        {"cp.async.cg.shared.global [%r0], [%x0], 16, 4;", 1, 3},
        {"setp.eq.u32 %p0, %t, %t;\n"
         "cp.async.ca.shared.global [%r0], [%x0], 8, %p0;",
         0, 2},
        {"setp.ne.u32 %p0, %t, %t;\n"
         "cp.async.ca.shared.global [%r0], [%x0], 8, %p0;",
         2, 0},
        {"createpolicy.fractional.L2::evict_last.b64 %x5, 1.0;\n"
         "cp.async.cg.shared.global.L2::cache_hint [%r0], [%x0], 16, %x5;",
         4, 0},
        {"setp.ne.u32 %p0, %t, %t;\n@%p0 cp.async.ca.shared.global [%r0], [%x0], 16;", 0,
         0},
    };
    static const char *const waits[] = {
        "cp.async.wait_all;\n", "cp.async.commit_group;\ncp.async.wait_group 0;\n"};
    struct lines x;

    (void)state;
    lines_begin(&x, true);
    for (size_t i = 0; i < 2 * sizeof cases / sizeof *cases; i++) {
        lines_run(
            &x, lines_fill(SIXTEEN CLEAR "$1\n$2" GIVE, cases[i / 2].copy, waits[i % 2]),
            32);
        for (unsigned k = 0; k < 128; k++)
            assert_int_equal(x.out[k], k % 4 < cases[i / 2].copied ? x.in[k]
                                       : k % 4 < cases[i / 2].copied + cases[i / 2].zeros
                                           ? 0
                                           : 7);
    }
    machine_free(x.m);
}

/* Three groups; after wait_group 1 the last may still be under way, and is. */
static void
test_groups(void **state)
{
    static const char lines[] = SIXTEEN CLEAR
        "cp.async.ca.shared.global [%r0], [%x0], 4;\ncp.async.commit_group;\n"
        "cp.async.ca.shared.global [%r0+4], [%x0+4], 4;\ncp.async.commit_group;\n"
        "cp.async.ca.shared.global [%r0+8], [%x0+8], 4;\ncp.async.commit_group;\n"
        "cp.async.ca.shared.global [%r0+12], [%x0+12], 4;\n"
        "cp.async.wait_group 1;\n" GIVE "cp.async.wait_group 0;\n"
        "ld.shared.v4.b32 {%r1, %r2, %r3, %r4}, [%r0];\n"
        "st.global.v4.b32 [%x1+512], {%r1, %r2, %r3, %r4};\n"
        "cp.async.wait_all;\nld.shared.v4.b32 {%r1, %r2, %r3, %r4}, [%r0];\n"
        "st.global.v4.b32 [%x1+1024], {%r1, %r2, %r3, %r4};\n";
    struct lines x;

    (void)state;
    lines_begin(&x, false);
    lines_run(&x, lines, 32);
    for (unsigned k = 0; k < 128; k++) {
        assert_int_equal(x.out[k], k % 4 < 2 ? x.in[k] : 7);
        assert_int_equal(x.out[128 + k], k % 4 < 3 ? x.in[k] : 7);
        assert_int_equal(x.out[256 + k], x.in[k]);
    }
    machine_free(x.m);
}

/* Who forgets to wait reads what was never written, while the copy still writes. */
static void
test_not_waited(void **state)
{
    struct lines x;

    (void)state;
    lines_begin(&x, true);
    assert_int_equal(
        lines_attempt(
            &x, "", SIXTEEN "cp.async.ca.shared.global [%r0], [%x0], 16;\n" GIVE, 1, 32),
        0);
    assert_int_equal(x.fault.kind, FAULT_RACE);
    assert_non_null(strstr(x.fault.text, "copy that it has not waited for"));
    lines_must_fault(&x, SIXTEEN "cp.async.ca.shared.global [%r0+4], [%x0], 8;\n",
                     FAULT_MISALIGNED, "writes 8 bytes of shared memory");
    lines_must_fault(&x, SIXTEEN "cp.async.ca.shared.global [%r0], [%x0+4], 8;\n",
                     FAULT_MISALIGNED, "reads 8 bytes of global memory");
    lines_must_fault(&x, SIXTEEN "cp.async.ca.shared.global [%r0+65536], [%x0], 8;\n",
                     FAULT_ILLEGAL_ADDRESS, "shared memory");
    lines_must_fault(&x, SIXTEEN "cp.async.ca.shared.global [%r0], [%x0+1048576], 4;\n",
                     FAULT_ILLEGAL_ADDRESS, "past the end of a buffer");
    machine_free(x.m);
}

/* --- mbarrier ----------------------------------------------------------------------- */

#define OUT4 "mad.wide.u32 %x1, %t, 4, %out;\n"

/* Two phases of all 64 threads: what the other warp wrote before is there. */
static void
test_arrivals(void **state)
{
    static const char *const arrivals[] = {
        "mbarrier.arrive.shared::cta.b64 %x3, [%r0];",
        "mbarrier.arrive.release.cta.shared::cta.b64 %x3, [%r0], 1;",
    };
    static const char *const waits[] = {
        "mbarrier.test_wait.shared::cta.b64 %p1, [%r0], %x3;",
        "mbarrier.try_wait.acquire.cta.shared::cta.b64 %p1, [%r0], %x3;",
        "mbarrier.try_wait.shared::cta.b64 %p1, [%r0], %x3, 1000;",
        "mbarrier.test_wait.parity.shared::cta.b64 %p1, [%r0], %r8;",
        "mbarrier.try_wait.parity.shared::cta.b64 %p1, [%r0], %r8, 1000;",
    };
    static const char lines[] = OUT4 INIT(
        "64") "mov.u32 %r1, tile;\nmad.lo.u32 %r2, %t, 4, %r1;\nxor.b32 %r3, "
              "%t, 63;\n"
              "mad.lo.u32 %r3, %r3, 4, %r1;\nadd.u32 %r4, %t, 5;\n"
              "st.shared.b32 [%r2], %r4;\nmov.u32 %r8, 0;\n$1\n" SPIN(
                  "one", "$2") "ld.shared.b32 %r5, [%r3];\nmov.u32 %r8, "
                               "1;\n$1\n" SPIN("two", "$2") "st.shared.b32 [%r2], "
                                                            "%r5;\nst.global.b32 "
                                                            "[%x1], %r5;\n";
    struct lines x;

    (void)state;
    lines_begin(&x, true);
    for (size_t i = 0; i < 10; i++) {
        lines_run(&x, lines_fill(lines, arrivals[i % 2], waits[i / 2]), 64);
        for (unsigned t = 0; t < 64; t++)
            assert_int_equal(x.out[t], (t ^ 63) + 5);
    }
    lines_run(
        &x,
        OUT4 INIT("33") "setp.ne.u32 %p2, %t, 0;\n"
                        "mbarrier.arrive.noComplete.shared.b64 %x3, [%r0], 1;\n"
                        "mbarrier.pending_count.b64 %r5, %x3;\nbar.sync 0;\n"
                        "mbarrier.test_wait.shared.b64 %p1, [%r0], %x3;\n"
                        "selp.u32 %r6, 1000, 0, %p1;\nadd.u32 %r5, %r5, %r6;\n"
                        "@!%p2 mbarrier.arrive.shared.b64 %x4, [%r0];\nbar.sync 0;\n"
                        "mbarrier.test_wait.shared.b64 %p1, [%r0], %x3;\n"
                        "selp.u32 %r6, 2000, 0, %p1;\nadd.u32 %r5, %r5, %r6;\n"
                        "st.global.b32 [%x1], %r5;\n"
                        "@!%p2 mbarrier.inval.shared.b64 [%r0];\n",
        32);
    for (unsigned t = 0; t < 32; t++) /* before arriving 33 - t were pending */
        assert_int_equal(x.out[t], 2033 - t);
    machine_free(x.m);
}

/* Thread 0 leaves for good: phases need one arrival less. */
static void
test_drop(void **state)
{
    static const char *const drops[] = {
        "mbarrier.arrive_drop.shared.b64 %x3, [%r0];",
        "mbarrier.arrive_drop.release.cta.shared::cta.b64 %x3, [%r0], 1;",
        "mbarrier.arrive_drop.expect_tx.shared::cta.b64 %x3, [%r0], 16;\n"
        "mbarrier.complete_tx.relaxed.cluster.shared::cluster.b64 [%r0], 16;",
    };
    static const char lines[] =
        OUT4 INIT("32") "@!%p0 bra others;\n$1\nret;\nothers:\n"
                        "mbarrier.arrive.shared.b64 %x3, [%r0];\n" SPIN(
                            "one", "mbarrier.test_wait.shared.b64 %p1, [%r0], "
                                   "%x3;") "mbarrier.arrive.shared.b64 %x3, "
                                           "[%r0];\n" SPIN("two", "mbarrier.test_wait."
                                                                  "shared.b64 %p1, "
                                                                  "[%r0], %x3;") "st."
                                                                                 "global."
                                                                                 "b32 "
                                                                                 "[%x1], "
                                                                                 "%t;\n";
    struct lines x;

    (void)state;
    lines_begin(&x, true);
    for (size_t i = 0; i < sizeof drops / sizeof *drops; i++) {
        lines_run(&x, lines_fill(lines, drops[i], ""), 32);
        assert_int_equal(x.out[0], 0);
        for (unsigned t = 0; t < 32; t++)
            assert_int_equal(x.out[t], t);
    }
    machine_free(x.m);
}

/* A thread's copies arrive at an mbarrier, counted before (.noinc) or not. */
static void
test_copy_arrivals(void **state)
{
    static const char *const kinds[] = {
        "cp.async.mbarrier.arrive.noinc.shared.b64 [%r7];",
        "cp.async.mbarrier.arrive.shared::cta.b64 [%r7];\n"
        "mbarrier.arrive.shared.b64 %x3, [%r7];",
    };
    static const char lines[] = INIT("32") SIXTEEN
        "mov.u32 %r7, bar;\ncp.async.cg.shared.global [%r0], [%x0], 16;\n$1\n"
        "mov.u32 %r8, 0;\n" SPIN("one", "mbarrier.try_wait.parity.shared.b64 %p1, [%r7], "
                                        "%r8;") "mov.u32 %r0, tile;\nxor.b32 %r6, %t, "
                                                "31;\nmad.lo.u32 %r0, %r6, 16, "
                                                "%r0;\n" GIVE;
    struct lines x;

    (void)state;
    lines_begin(&x, true);
    for (int i = 0; i < 2; i++) {
        lines_run(&x, lines_fill(lines, kinds[i], ""), 32);
        for (unsigned k = 0; k < 128; k++)
            assert_int_equal(x.out[k], x.in[(k / 4 ^ 31) * 4 + k % 4]);
    }
    machine_free(x.m);
}

/* --- bulk copies -------------------------------------------------------------------- */

static void
test_bulk(void **state)
{
    struct lines x;

    (void)state;
    lines_begin(&x, true);
    /* In, through an mbarrier that expects the bytes; out, in a group. */
    lines_run(
        &x,
        INIT("1") "mov.u32 %r8, 0;\nmov.u32 %r1, tile;\n@!%p0 bra wait;\n"
                  "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r0], 512;\n"
                  "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
                  "[%r1], [%in], 512, [%r0];\nwait:\n" PARITY(
                      "spin") "mad.lo.u32 %r2, %t, 16, %r1;\nld.shared.b32 %r3, [%r2];\n"
                              "add.u32 %r3, %r3, 1;\nst.shared.b32 [%r2], %r3;\n"
                              "fence.proxy.async.shared::cta;\nbar.sync 0;\n@!%p0 ret;\n"
                              "cp.async.bulk.global.shared::cta.bulk_group [%out], "
                              "[%r1], 512;\n"
                              "cp.async.bulk.commit_group;\ncp.async.bulk.wait_group."
                              "read 0;\n"
                              "cp.async.bulk.wait_group 0;\n",
        32);
    for (unsigned k = 0; k < 128; k++)
        assert_int_equal(x.out[k], x.in[k] + (k % 4 == 0));
    /* Within shared memory; bytes announced apart from the arrival. */
    lines_run(
        &x,
        INIT(
            "1") "mov.u32 %r8, 0;\nmov.u32 %r1, tile;\nmov.u32 %r4, other;\n"
                 "mad.lo.u32 %r2, %t, 4, %r1;\nst.shared.b32 [%r2], %t;\nbar.sync 0;\n"
                 "@!%p0 bra wait;\nmbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%r0], "
                 "128;\ncp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::"
                 "bytes [%r4], [%r1], 128, [%r0];\nmbarrier.arrive.shared.b64 _, [%r0];\n"
                 "wait:\n" PARITY("spin") OUT4
        "mad.lo.u32 %r2, %t, 4, %r4;\nld.shared.b32 %r3, [%r2];\n"
        "st.global.b32 [%x1], %r3;\n",
        32);
    for (unsigned t = 0; t < 32; t++)
        assert_int_equal(x.out[t], t);
    /* Reductions to global memory; a byte mask; prefetches. */
    lines_run(
        &x,
        "setp.eq.u32 %p0, %t, 0;\nmov.u32 %r1, tile;\nmad.lo.u32 %r2, %t, 4, %r1;\n"
        "st.shared.b32 [%r2], %t;\nbar.sync 0;\n@!%p0 ret;\n"
        "cp.async.bulk.prefetch.L2.global [%in], 64;\n"
        "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%in], [%r1], 128;\n"
        "cp.reduce.async.bulk.global.shared::cta.bulk_group.max.s32 [%in+128], [%r1], "
        "128;\nmov.b16 %h0, 15;\n"
        "cp.async.bulk.global.shared::cta.bulk_group.cp_mask [%out], [%r1], 128, %h0;\n"
        "cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;\n",
        32);
    for (unsigned t = 0; t < 32; t++) {
        assert_int_equal(x.in[t], 100 + 2 * t);
        assert_int_equal(x.in[32 + t], 132 + t);
        assert_int_equal(x.out[t], t % 4 == 0 ? t : 0);
    }
    lines_must_fault(
        &x,
        INIT("1") "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::"
                  "bytes [tile], [%in], 24, [%r0];\n",
        FAULT_MISALIGNED, "multiple of 16");
    lines_must_fault(
        &x,
        INIT("1") "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::"
                  "bytes [tile], [%in], 65536, [%r0];\n",
        FAULT_ILLEGAL_ADDRESS, "memory");
    lines_must_fault(
        &x,
        "cp.async.bulk.tensor.1d.shared::cluster.global.mbarrier::complete_tx::"
        "bytes [tile], [%in, {%t}], [bar];\n",
        FAULT_PTX_UNSUPPORTED, "cp.async.bulk.tensor");
    machine_free(x.m);
}

/* What a bulk copy brings is not there before somebody has tested its mbarrier. */
static void
test_bulk_not_waited(void **state)
{
    static const char lines[] =
        OUT4 INIT("1") "mov.u32 %r8, 0;\nmov.u32 %r1, tile;\n"
                       "mad.lo.u32 %r2, %t, 4, %r1;\nmov.u32 %r3, 7;\n"
                       "st.shared.b32 [%r2], %r3;\nbar.sync 0;\n@!%p0 bra wait;\n"
                       "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r0], 128;\n"
                       "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::"
                       "bytes [%r1], [%in], 128, [%r0];\nwait:\nbar.sync 0;\n$1"
                       "ld.shared.b32 %r3, [%r2];\nst.global.b32 [%x1], %r3;\n";
    struct lines x;

    (void)state;
    lines_begin(&x, true);
    lines_run(&x, lines_fill(lines, "", ""), 32);
    for (unsigned t = 0; t < 32; t++)
        assert_int_equal(x.out[t], 7);
    lines_run(&x, lines_fill(lines, PARITY("spin"), ""), 32);
    for (unsigned t = 0; t < 32; t++)
        assert_int_equal(x.out[t], x.in[t]);
    machine_free(x.m);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_copies),     cmocka_unit_test(test_groups),
        cmocka_unit_test(test_not_waited), cmocka_unit_test(test_arrivals),
        cmocka_unit_test(test_drop),       cmocka_unit_test(test_copy_arrivals),
        cmocka_unit_test(test_bulk),       cmocka_unit_test(test_bulk_not_waited),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
