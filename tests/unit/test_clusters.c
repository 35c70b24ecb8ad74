// links: exec ptx ptx_lines
/* Clusters, form by form: their registers, barriers and distributed shared memory. */
#include "../fixtures/ptx_lines.h"

#include "emulator/exec/exec.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void
run_clusters(struct lines *x, const char *directives, const char *lines, uint32_t blocks)
{
    if (lines_attempt(x, directives, lines, blocks, 32) != 0)
        fail_msg("%s\n%s", x->fault.text, lines);
    if (x->fault.kind != FAULT_NONE)
        fail_msg("%s\n%s", x->fault.text, lines);
}

static void
test_registers(void **state)
{
    struct lines x;

    (void)state;
    lines_begin(&x, true);
    run_clusters(&x, ".explicitcluster\n.reqnctapercluster 4, 1, 1",
                 "mad.lo.u32 %r9, %b, 8, 0;\nmad.wide.u32 %x1, %r9, 4, %out;\n"
                 "setp.ne.u32 %p0, %t, 0;\n@%p0 ret;\nmov.u32 %r1, %cluster_ctarank;\n"
                 "mov.u32 %r2, %cluster_nctarank;\nmov.u32 %r3, %clusterid.x;\n"
                 "mov.u32 %r4, %nclusterid.x;\nmov.u32 %r5, %cluster_ctaid.x;\n"
                 "mov.u32 %r6, %cluster_nctaid.x;\nmov.u32 %r7, %cluster_nctaid.y;\n"
                 "mov.u32 %r8, %nclusterid.z;\n"
                 "st.global.v4.b32 [%x1], {%r1, %r2, %r3, %r4};\n"
                 "st.global.v4.b32 [%x1+16], {%r5, %r6, %r7, %r8};\n",
                 12);
    for (unsigned b = 0; b < 12; b++) {
        const uint32_t expected[] = {b % 4, 4, b / 4, 3, b % 4, 4, 1, 1};

        assert_memory_equal(x.out + (size_t)8 * b, expected, sizeof expected);
    }
    machine_free(x.m);
}

/* Every block reads, adds to and stores into its neighbour's shared memory. */
static void
test_neighbours(void **state)
{
    struct lines x;

    (void)state;
    lines_begin(&x, true);
    run_clusters(
        &x, ".reqnctapercluster 2, 1, 1",
        "mov.u32 %r1, tile;\nmad.lo.u32 %r2, %t, 4, %r1;\nmad.lo.u32 %r3, %b, 100, %t;\n"
        "st.shared.b32 [%r2], %r3;\n"
        "barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;\n"
        "mov.u32 %r4, %cluster_ctarank;\nxor.b32 %r4, %r4, 1;\n"
        "mapa.shared::cluster.u32 %r5, %r2, %r4;\n"
        "ld.shared::cluster.b32 %r6, [%r5];\n"
        "getctarank.shared::cluster.u32 %r7, %r5;\n"
        "mad.lo.u32 %r6, %r7, 100000, %r6;\n"
        "red.relaxed.cluster.shared::cluster.add.u32 [%r5], 0;\n"
        "cvt.u64.u32 %x2, %r2;\ncvta.shared.u64 %x2, %x2;\nmapa.u64 %x3, %x2, %r4;\n"
        "st.b32 [%x3+256], %r3;\ngetctarank.u64 %r8, %x3;\n"
        "isspacep.shared::cluster %p1, %x3;\nisspacep.shared::cta %p2, %x3;\n"
        "isspacep.shared::cta %p3, %x2;\nselp.u32 %r10, 1, 0, %p1;\n"
        "selp.u32 %r11, 10, 0, %p2;\nselp.u32 %r12, 100, 0, %p3;\n"
        "add.u32 %r10, %r10, %r11;\nadd.u32 %r10, %r10, %r12;\n"
        "mad.lo.u32 %r10, %r8, 1000, %r10;\n"
        "barrier.cluster.arrive;\nbarrier.cluster.wait;\n"
        "ld.shared.b32 %r11, [%r2+256];\nmad.lo.u32 %r9, %b, 32, %t;\n"
        "mad.wide.u32 %x1, %r9, 16, %out;\n"
        "st.global.v4.b32 [%x1], {%r6, %r10, %r11, %r11};\n",
        4);
    for (unsigned b = 0; b < 4; b++)
        for (unsigned t = 0; t < 32; t++) {
            const uint32_t *o = x.out + (size_t)4 * (b * 32 + t);
            unsigned other = (b & 1) ^ 1, theirs = 100 * (b ^ 1) + t;

            assert_int_equal(o[0], theirs + 100000 * other);
            assert_int_equal(o[1], 101 + 1000 * other);
            assert_int_equal(o[2], theirs);
        }
    machine_free(x.m);
}

/* st.async, red.async and remote arrivals complete the neighbour's phase; a multicast
 * copy reaches both. */
static void
test_remote(void **state)
{
    struct lines x;

    (void)state;
    lines_begin(&x, true);
    run_clusters(
        &x, ".reqnctapercluster 2, 1, 1",
        INIT(
            "33") "mov.u32 %r8, 0;\nmov.u32 %r1, tile;\nmad.lo.u32 %r2, %t, 8, %r1;\n"
                  "mov.u32 %r9, 0;\nst.shared.v2.b32 [%r2+512], {%r9, %r9};\n"
                  "@%p0 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r0], 512;\n"
                  "barrier.cluster.arrive;\nbarrier.cluster.wait;\n"
                  "mov.u32 %r4, %cluster_ctarank;\nxor.b32 %r4, %r4, 1;\n"
                  "mapa.shared::cluster.u32 %r5, %r2, %r4;\n"
                  "mapa.shared::cluster.u32 %r6, %r0, %r4;\n"
                  "add.u32 %r3, %t, 1000;\n"
                  "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v2.b32 "
                  "[%r5], {%r3, %b}, [%r6];\n"
                  "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes"
                  ".add.u32 [%r5+512], %t, [%r6];\n"
                  "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes"
                  ".max.u32 [%r5+516], %t, [%r6];\n"
                  "mbarrier.arrive.release.cluster.shared::cluster.b64 _, "
                  "[%r6];\n" PARITY(
                      "spin") "ld.shared.v2.b32 {%r10, %r11}, [%r2];\n"
                              "ld.shared.v2.b32 {%r12, %r13}, [%r2+512];\n"
                              "mad.lo.u32 %r9, %b, 32, %t;\n"
                              "mad.wide.u32 %x1, %r9, 16, %out;\n"
                              "st.global.v4.b32 [%x1], {%r10, %r11, %r12, %r13};\n"
                              "barrier.cluster.arrive;\nbarrier.cluster.wait;\n",
        2);
    for (unsigned b = 0; b < 2; b++)
        for (unsigned t = 0; t < 32; t++) {
            const uint32_t expected[] = {t + 1000, b ^ 1, t, t};

            assert_memory_equal(x.out + (size_t)4 * (b * 32 + t), expected,
                                sizeof expected);
        }
    run_clusters(
        &x, ".reqnctapercluster 2, 1, 1",
        INIT("1") "mov.u32 %r8, 0;\nmov.u32 %r1, tile;\n"
                  "@%p0 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r0], 128;\n"
                  "barrier.cluster.arrive;\nbarrier.cluster.wait;\n"
                  "setp.eq.and.u32 %p2, %b, 0, %p0;\nmov.b16 %h0, 3;\n"
                  "@%p2 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"
                  ".multicast::cluster [%r1], [%in], 128, [%r0], %h0;\n" PARITY(
                      "spin") "mad.lo.u32 %r2, %t, 4, %r1;\nld.shared.b32 %r3, [%r2];\n"
                              "mad.lo.u32 %r9, %b, 32, %t;\nmad.wide.u32 %x1, %r9, 4, "
                              "%out;\n"
                              "st.global.b32 [%x1], %r3;\n",
        2);
    for (unsigned i = 0; i < 64; i++)
        assert_int_equal(x.out[i], 100 + i % 32);
    machine_free(x.m);
}

/* What goes wrong is told: a neighbour that is none, one that waits for ever, a grid that
 * is not whole clusters. */
static void
test_mistakes(void **state)
{
    struct lines x;
    const char *pair = ".reqnctapercluster 2, 1, 1";

    (void)state;
    lines_begin(&x, true);
    assert_int_equal(lines_attempt(&x, pair,
                                   "mov.u32 %r1, tile;\n"
                                   "mapa.shared::cluster.u32 %r2, %r1, 2;\n",
                                   2, 32),
                     -1);
    assert_non_null(strstr(x.fault.text, "block 2 of a cluster of 2"));
    assert_int_equal(lines_attempt(&x, pair,
                                   "barrier.cluster.arrive;\nsetp.eq.u32 %p0, %b, 0;\n"
                                   "@%p0 bar.sync 1, 64;\nbarrier.cluster.wait;\n"
                                   "barrier.cluster.arrive;\nbarrier.cluster.wait;\n",
                                   2, 32),
                     -1);
    assert_int_equal(x.fault.kind, FAULT_BARRIER);
    assert_non_null(strstr(x.fault.text, "can't go on"));
    assert_int_equal(lines_attempt(&x, pair,
                                   "barrier.cluster.arrive;\nbarrier.cluster.arrive;\n",
                                   2, 32),
                     -1);
    assert_non_null(strstr(x.fault.text, "arrives twice"));
    assert_int_equal(lines_attempt(&x, pair, "", 3, 32), -1);
    assert_int_equal(x.fault.kind, FAULT_LAUNCH_CONFIG);
    assert_int_equal(lines_attempt(&x, ".reqnctapercluster 32, 1, 1", "", 32, 32), -1);
    assert_int_equal(x.fault.kind, FAULT_LAUNCH_CONFIG);
    /* Threads that have exited don't count; the other block's memory outlives it not. */
    run_clusters(&x, pair,
                 "setp.eq.u32 %p0, %b, 0;\n@%p0 ret;\n"
                 "barrier.cluster.arrive;\nbarrier.cluster.wait;\n",
                 2);
    assert_int_equal(lines_attempt(&x, pair,
                                   "setp.eq.u32 %p0, %b, 0;\n@%p0 ret;\n"
                                   "barrier.cluster.arrive;\nbarrier.cluster.wait;\n"
                                   "nanosleep.u32 100;\nmov.u32 %r1, tile;\n"
                                   "mapa.shared::cluster.u32 %r2, %r1, 0;\n"
                                   "ld.shared::cluster.u32 %r3, [%r2];\n",
                                   2, 32),
                     -1);
    assert_int_equal(x.fault.kind, FAULT_ILLEGAL_ADDRESS);
    machine_free(x.m);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_registers),
        cmocka_unit_test(test_neighbours),
        cmocka_unit_test(test_remote),
        cmocka_unit_test(test_mistakes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
