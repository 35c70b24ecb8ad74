// links: exec ptx emulated
/*
 * Asynchronous copies, mbarriers and clusters, form by form: kernels of a few PTX lines
 * and what the PTX ISA says they leave in memory.
 */
#include "../fixtures/emulated.h"

#include "emulator/exec/exec.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { WORDS = 4096, TEXT = 16384 };

/* The device and two buffers: in[i] = 100 + i, out[i] = 0. */
struct bench {
    struct machine *m;
    uint64_t address[2];
    uint32_t *in, *out;
    char text[TEXT];
    struct fault fault;
};

/* Before each kernel's lines: %in and %out, %t the thread, %b the block, tile and other
 * in shared memory, two mbarriers. */
static const char head[] =
    ".version 8.6\n.target sm_90\n.address_size 64\n"
    ".visible .entry k(.param .u64 pin, .param .u64 pout)%s\n{\n"
    ".reg .b64 %%in, %%out, %%x<10>;\n.reg .b32 %%t, %%b, %%r<20>;\n.reg .pred %%p<6>;\n"
    ".reg .b16 %%h<2>;\n"
    ".shared .align 128 .b8 tile[1024];\n.shared .align 128 .b8 other[1024];\n"
    ".shared .align 8 .b64 bar;\n.shared .align 8 .b64 bar2;\n"
    "ld.param.u64 %%in, [pin];\nld.param.u64 %%out, [pout];\n"
    "mov.u32 %%t, %%tid.x;\nmov.u32 %%b, %%ctaid.x;\n%s\nret;\n}\n";

static void
begin(struct bench *x, bool checks)
{
    struct machine_options o = {
        .threads = 2, .checks = checks, .instruction_budget = 1000000};

    memset(x, 0, sizeof *x);
    x->m = machine_new(&o);
    assert_non_null(x->m);
    x->in = emulated_buffer(x->m, WORDS * 4, &x->address[0]);
    x->out = emulated_buffer(x->m, WORDS * 4, &x->address[1]);
}

/* Runs the lines; 0, or -1 and x->fault. directives: of the kernel, "" or
 * ".reqnctapercluster ...". */
static int
attempt(struct bench *x, const char *directives, const char *lines, uint32_t blocks,
        uint32_t threads)
{
    struct launch l = {
        .grid = {blocks, 1, 1}, .block = {threads, 1, 1}, .params = x->address};
    struct module *mod;
    int n, result;

    for (uint32_t i = 0; i < WORDS; i++) {
        x->in[i] = 100 + i;
        x->out[i] = 0;
    }
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    n = snprintf(x->text, TEXT, head, directives, lines);
#pragma GCC diagnostic pop
    assert_true(n > 0 && n < TEXT);
    mod = module_load(x->m, x->text, (size_t)n, &x->fault);
    if (mod == NULL)
        fail_msg("%s\n%s", x->fault.text, x->text);
    result = machine_launch(x->m, module_kernel(mod, "k"), &l, &x->fault);
    module_unload(x->m, mod);
    return result;
}

/* $1 and $2 of the text are replaced. */
static const char *
fill(const char *text, const char *first, const char *second)
{
    static char out[TEXT / 2];
    size_t n = 0;

    for (; *text != '\0'; text++) {
        const char *part = strncmp(text, "$1", 2) == 0   ? first
                           : strncmp(text, "$2", 2) == 0 ? second
                                                         : NULL;

        if (part == NULL) {
            out[n++] = *text;
        } else {
            memcpy(out + n, part, strlen(part));
            n += strlen(part);
            text++;
        }
        assert_true(n + 200 < sizeof out);
    }
    out[n] = '\0';
    return out;
}

static void
run(struct bench *x, const char *lines, uint32_t threads)
{
    if (attempt(x, "", lines, 1, threads) != 0)
        fail_msg("%s\n%s", x->fault.text, lines);
    if (x->fault.kind != FAULT_NONE)
        fail_msg("%s\n%s", x->fault.text, lines);
}

static void
run_clusters(struct bench *x, const char *directives, const char *lines, uint32_t blocks)
{
    if (attempt(x, directives, lines, blocks, 32) != 0)
        fail_msg("%s\n%s", x->fault.text, lines);
    if (x->fault.kind != FAULT_NONE)
        fail_msg("%s\n%s", x->fault.text, lines);
}

static void
must_fault(struct bench *x, const char *lines, enum fault_kind kind, const char *says)
{
    assert_int_equal(attempt(x, "", lines, 1, 32), -1);
    if (x->fault.kind != kind || strstr(x->fault.text, says) == NULL)
        fail_msg("%s", x->fault.text);
}

/* --- cp.async ------------------------------------------------------------ */

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
    struct bench x;

    (void)state;
    begin(&x, true);
    for (size_t i = 0; i < 2 * sizeof cases / sizeof *cases; i++) {
        run(&x, fill(SIXTEEN CLEAR "$1\n$2" GIVE, cases[i / 2].copy, waits[i % 2]), 32);
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
    struct bench x;

    (void)state;
    begin(&x, false);
    run(&x, lines, 32);
    for (unsigned k = 0; k < 128; k++) {
        assert_int_equal(x.out[k], k % 4 < 2 ? x.in[k] : 7);
        assert_int_equal(x.out[128 + k], k % 4 < 3 ? x.in[k] : 7);
        assert_int_equal(x.out[256 + k], x.in[k]);
    }
    machine_free(x.m);
}

/* Who forgets to wait reads what was never written. */
static void
test_not_waited(void **state)
{
    struct bench x;

    (void)state;
    begin(&x, true);
    assert_int_equal(attempt(&x, "",
                             SIXTEEN "cp.async.ca.shared.global [%r0], [%x0], 16;\n" GIVE,
                             1, 32),
                     0);
    assert_int_equal(x.fault.kind, FAULT_UNINITIALIZED);
    must_fault(&x, SIXTEEN "cp.async.ca.shared.global [%r0+4], [%x0], 8;\n",
               FAULT_MISALIGNED, "writes 8 bytes of shared memory");
    must_fault(&x, SIXTEEN "cp.async.ca.shared.global [%r0], [%x0+4], 8;\n",
               FAULT_MISALIGNED, "reads 8 bytes of global memory");
    must_fault(&x, SIXTEEN "cp.async.ca.shared.global [%r0+65536], [%x0], 8;\n",
               FAULT_ILLEGAL_ADDRESS, "shared memory");
    must_fault(&x, SIXTEEN "cp.async.ca.shared.global [%r0], [%x0+1048576], 4;\n",
               FAULT_ILLEGAL_ADDRESS, "past the end of a buffer");
    machine_free(x.m);
}

/* --- mbarrier ------------------------------------------------------------ */

#define OUT4 "mad.wide.u32 %x1, %t, 4, %out;\n"
#define INIT(count)                                                                      \
    "mov.u32 %r0, bar;\nsetp.eq.u32 %p0, %t, 0;\n"                                       \
    "@%p0 mbarrier.init.shared::cta.b64 [%r0], " count ";\nbar.sync 0;\n"
#define SPIN(label, test) label ":\n" test "\n@!%p1 bra " label ";\n"

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
    struct bench x;

    (void)state;
    begin(&x, true);
    for (size_t i = 0; i < 10; i++) {
        run(&x, fill(lines, arrivals[i % 2], waits[i / 2]), 64);
        for (unsigned t = 0; t < 64; t++)
            assert_int_equal(x.out[t], (t ^ 63) + 5);
    }
    run(&x,
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
    struct bench x;

    (void)state;
    begin(&x, true);
    for (size_t i = 0; i < sizeof drops / sizeof *drops; i++) {
        run(&x, fill(lines, drops[i], ""), 32);
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
    struct bench x;

    (void)state;
    begin(&x, true);
    for (int i = 0; i < 2; i++) {
        run(&x, fill(lines, kinds[i], ""), 32);
        for (unsigned k = 0; k < 128; k++)
            assert_int_equal(x.out[k], x.in[(k / 4 ^ 31) * 4 + k % 4]);
    }
    machine_free(x.m);
}

/* --- bulk copies --------------------------------------------------------- */

#define PARITY(label)                                                                    \
    SPIN(label, "mbarrier.try_wait.parity.shared::cta.b64 %p1, [%r0], %r8;")

static void
test_bulk(void **state)
{
    struct bench x;

    (void)state;
    begin(&x, true);
    /* In, through an mbarrier that expects the bytes; out, in a group. */
    run(&x,
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
    run(&x,
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
    run(&x,
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
    must_fault(&x,
               INIT("1") "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::"
                         "bytes [tile], [%in], 24, [%r0];\n",
               FAULT_MISALIGNED, "multiple of 16");
    must_fault(&x,
               INIT("1") "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::"
                         "bytes [tile], [%in], 65536, [%r0];\n",
               FAULT_ILLEGAL_ADDRESS, "memory");
    must_fault(&x,
               "cp.async.bulk.tensor.1d.shared::cluster.global.mbarrier::complete_tx::"
               "bytes [tile], [%in, {%t}], [bar];\n",
               FAULT_PTX_UNSUPPORTED, "cp.async.bulk.tensor");
    machine_free(x.m);
}

/* --- clusters ------------------------------------------------------------ */

static void
test_registers(void **state)
{
    struct bench x;

    (void)state;
    begin(&x, true);
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
    struct bench x;

    (void)state;
    begin(&x, true);
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
    struct bench x;

    (void)state;
    begin(&x, true);
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
    struct bench x;
    const char *pair = ".reqnctapercluster 2, 1, 1";

    (void)state;
    begin(&x, true);
    assert_int_equal(attempt(&x, pair,
                             "mov.u32 %r1, tile;\n"
                             "mapa.shared::cluster.u32 %r2, %r1, 2;\n",
                             2, 32),
                     -1);
    assert_non_null(strstr(x.fault.text, "block 2 of a cluster of 2"));
    assert_int_equal(attempt(&x, pair,
                             "barrier.cluster.arrive;\nsetp.eq.u32 %p0, %b, 0;\n"
                             "@%p0 bar.sync 1, 64;\nbarrier.cluster.wait;\n"
                             "barrier.cluster.arrive;\nbarrier.cluster.wait;\n",
                             2, 32),
                     -1);
    assert_int_equal(x.fault.kind, FAULT_BARRIER);
    assert_non_null(strstr(x.fault.text, "can't go on"));
    assert_int_equal(
        attempt(&x, pair, "barrier.cluster.arrive;\nbarrier.cluster.arrive;\n", 2, 32),
        -1);
    assert_non_null(strstr(x.fault.text, "arrives twice"));
    assert_int_equal(attempt(&x, pair, "", 3, 32), -1);
    assert_int_equal(x.fault.kind, FAULT_LAUNCH_CONFIG);
    assert_int_equal(attempt(&x, ".reqnctapercluster 32, 1, 1", "", 32, 32), -1);
    assert_int_equal(x.fault.kind, FAULT_LAUNCH_CONFIG);
    /* Threads that have exited don't count; the other block's memory outlives it not. */
    run_clusters(&x, pair,
                 "setp.eq.u32 %p0, %b, 0;\n@%p0 ret;\n"
                 "barrier.cluster.arrive;\nbarrier.cluster.wait;\n",
                 2);
    assert_int_equal(attempt(&x, pair,
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
        cmocka_unit_test(test_copies),     cmocka_unit_test(test_groups),
        cmocka_unit_test(test_not_waited), cmocka_unit_test(test_arrivals),
        cmocka_unit_test(test_drop),       cmocka_unit_test(test_copy_arrivals),
        cmocka_unit_test(test_bulk),       cmocka_unit_test(test_registers),
        cmocka_unit_test(test_neighbours), cmocka_unit_test(test_remote),
        cmocka_unit_test(test_mistakes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
