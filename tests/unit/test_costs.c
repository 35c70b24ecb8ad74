// links: exec ptx cost_machine
/* Costs by kernel and by source line. The kernels are written so that every count can be
 * told by hand: 32 lanes, known addresses, a line for each kind of instruction. */
#include "../fixtures/cost_machine.h"

#include "emulator/exec/cost/model.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { BLOCKS = 3 };

#define HEAD                                                                             \
    ".version 8.0\n.target sm_80\n.address_size 64\n"                                    \
    ".file 1 \"/home/ada/vec.cu\"\n"                                                     \
    ".file 2 \"/usr/local/cuda/targets/x86_64-linux/include/cuda_fp16.hpp\"\n"           \
    ".file 3 \"/home/ada/mine.cuh\"\n"

static const char lines_ptx[] =
    HEAD ".visible .entry lines(.param .u64 p) {\n"
         "  .reg .pred %p<3>; .reg .f32 %f<6>; .reg .b32 %r<6>; .reg .b64 %rd<6>;\n"
         "  .shared .align 4 .b8 s[4096];\n"
         "  .loc 1 10 0\n"
         "  ld.param.u64 %rd1, [p];\n"
         "  mov.u32 %r1, %tid.x;\n"
         "  .loc 1 11 0\n" /* a float of every second line of 128 bytes */
         "  mul.wide.u32 %rd2, %r1, 256;\n"
         "  add.s64 %rd3, %rd1, %rd2;\n"
         "  ld.global.f32 %f1, [%rd3];\n"
         "  setp.lt.u32 %p1, %r1, 8;\n"
         "  @%p1 bra few;\n"
         "  .loc 1 13 0\n"
         "  add.f32 %f2, %f1, %f1;\n"
         "  bra.uni both;\n"
         "few:\n"
         "  .loc 1 14 0\n"
         "  fma.rn.f32 %f2, %f1, %f1, %f1;\n"
         "both:\n"
         "  .loc 1 15 0\n" /* all lanes in bank 0 */
         "  shl.b32 %r2, %r1, 7;\n"
         "  mov.u32 %r3, s;\n"
         "  add.s32 %r4, %r3, %r2;\n"
         "  st.shared.f32 [%r4], %f2;\n"
         "  .loc 1 16 0\n"
         "  bar.sync 0;\n"
         "  .loc 1 17 0\n" /* all lanes on one address */
         "  red.global.add.u32 [%rd1], 1;\n"
         "  .loc 2 900 0, function_name $L__info_string0, inlined_at 1 18 3\n"
         "  add.f32 %f3, %f2, %f2;\n"
         "  .loc 3 7 0, function_name $L__info_string1, inlined_at 1 19 3\n"
         "  add.f32 %f4, %f2, %f3;\n"
         "  .loc 1 20 0\n" /* sixteen lanes, side by side */
         "  setp.lt.u32 %p2, %r1, 16;\n"
         "  mul.wide.u32 %rd4, %r1, 4;\n"
         "  add.s64 %rd5, %rd1, %rd4;\n"
         "  @%p2 st.global.f32 [%rd5+4096], %f4;\n"
         "  ret;\n"
         "}\n"
         ".section .debug_str\n{\n"
         "$L__info_string0:\n.b8 97\n.b8 0\n"
         "$L__info_string1:\n.b8 98\n.b8 0\n}\n";

static const struct line_cost *
line_of(const struct kernel_cost *k, const char *file, int line)
{
    for (uint32_t i = 0; i < k->line_count; i++)
        if (strcmp(k->line[i].file, file) == 0 && k->line[i].line == line)
            return &k->line[i];
    return NULL;
}

/* --- exact counts -------------------------------------------------------- */

static void
test_totals(void **state)
{
    struct cost_machine x = cost_machine_start(lines_ptx, 1);
    struct kernel_cost k;

    (void)state;
    cost_machine_run(&x, "lines", BLOCKS, 32);
    k = cost_machine_cost(&x);
    assert_string_equal(k.name, "lines");
    assert_int_equal(k.blocks, BLOCKS);
    assert_int_equal(k.warps, BLOCKS);
    assert_int_equal(k.threads_per_block, 32);
    assert_int_equal(k.counters.launches, 1);
    /* 7 to the branch, 2 + 1 on its ways, 4 + 1 + 1 + 2 + 5 after it */
    assert_int_equal(k.counters.warp_instructions, BLOCKS * 23);
    /* 20 by all lanes, 2 by 24, 1 by 8, and the guarded store by 16 */
    assert_int_equal(k.counters.thread_instructions,
                     BLOCKS * (19 * 32 + 2 * 24 + 8 + 16));
    assert_int_equal(k.counters.divergent_branches, BLOCKS);
    assert_int_equal(k.counters.barriers, BLOCKS);
    assert_int_equal(k.counters.fp32_flops, BLOCKS * (24 + 8 * 2 + 32 + 32));
    assert_int_equal(k.counters.global_requests, BLOCKS * 3);
    assert_int_equal(k.counters.global_load_bytes, BLOCKS * (128 + 128));
    assert_int_equal(k.counters.global_store_bytes, BLOCKS * (64 + 128));
    /* loads 32, the reduction 1, the store 2 */
    assert_int_equal(k.counters.global_sectors, BLOCKS * 35);
    machine_free(x.m);
}

/* Lines that did not fit are told from any place on. */
static void
test_further_lines(void **state)
{
    struct cost_machine x = cost_machine_start(lines_ptx, 1);
    struct kernel_cost all, rest;

    (void)state;
    cost_machine_run(&x, "lines", BLOCKS, 32);
    all = cost_machine_cost(&x);
    assert_int_equal(machine_cost(x.m, 0, COST_LINES, &rest), 0);
    assert_int_equal(rest.line_count, all.lines_left);
    assert_int_equal(rest.lines_left, 0);
    for (uint32_t i = 0; i < rest.line_count; i++)
        assert_true(rest.line[i].ns <= all.line[COST_LINES - 1].ns);
    assert_int_equal(machine_cost(x.m, 0, 1, &rest), 0);
    assert_int_equal(rest.line_count, COST_LINES);
    assert_int_equal(rest.line[0].line, all.line[1].line);
    assert_int_equal(rest.lines_left, all.lines_left - 1);
    assert_int_equal(machine_cost(x.m, 0, 1000, &rest), 0);
    assert_int_equal(rest.line_count, 0);
    assert_int_equal(rest.lines_left, 0);
    machine_free(x.m);
}

static void
test_lines(void **state)
{
    struct cost_machine x = cost_machine_start(lines_ptx, 1);
    const struct line_cost *line;
    struct kernel_cost k;

    (void)state;
    cost_machine_run(&x, "lines", BLOCKS, 32);
    k = cost_machine_cost(&x);
    assert_int_equal(k.line_count, COST_LINES);
    assert_int_equal(k.line_count + k.lines_left, 10);

    line = line_of(&k, "vec.cu", 11);
    assert_non_null(line);
    assert_int_equal(line->counters.warp_instructions, BLOCKS * 5);
    assert_int_equal(line->counters.thread_instructions, BLOCKS * 5 * 32);
    assert_int_equal(line->counters.global_requests, BLOCKS);
    assert_int_equal(line->counters.global_sectors, BLOCKS * 32);
    assert_int_equal(line->counters.global_lines, BLOCKS * 32);
    assert_int_equal(line->counters.l1_missed_sectors, BLOCKS * 32);
    assert_int_equal(line->counters.path_loads, BLOCKS);

    line = line_of(&k, "vec.cu", 15);
    assert_non_null(line);
    assert_int_equal(line->counters.warp_instructions, BLOCKS * 4);
    assert_int_equal(line->counters.shared_requests, BLOCKS);
    assert_int_equal(line->counters.shared_wavefronts, BLOCKS * 32);
    assert_int_equal(line->counters.shared_ideal, BLOCKS);

    line = line_of(&k, "vec.cu", 16);
    assert_non_null(line);
    assert_int_equal(line->counters.barriers, BLOCKS);
    assert_int_equal(line->counters.warp_instructions, BLOCKS);
    machine_free(x.m);
}

/* What writes or reads 16 bytes a lane needs four wavefronts, and has no bank conflicts
 * by that. The four matrices of an ldmatrix are one request. */
static void
test_wide_requests(void **state)
{
    static const char ptx[] =
        HEAD ".visible .entry wide(.param .u64 p) {\n"
             "  .reg .b32 %r<9>; .reg .b64 %rd<5>;\n"
             "  .shared .align 16 .b8 s[1024];\n"
             "  .loc 1 10 0\n"
             "  ld.param.u64 %rd1, [p];\n"
             "  mov.u32 %r1, %tid.x;\n"
             "  shl.b32 %r2, %r1, 4;\n"
             "  mov.u32 %r3, s;\n"
             "  add.s32 %r3, %r3, %r2;\n"
             "  mul.wide.u32 %rd2, %r1, 16;\n"
             "  add.s64 %rd3, %rd1, %rd2;\n"
             "  .loc 1 11 0\n"
             "  cp.async.cg.shared.global [%r3], [%rd3], 16;\n"
             "  .loc 1 12 0\n" /* every fourth word: four lanes to a bank */
             "  cp.async.ca.shared.global [%r3], [%rd3], 4;\n"
             "  cp.async.wait_all;\n"
             "  .loc 1 13 0\n"
             "  ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r4,%r5,%r6,%r7}, [%r3];\n"
             "  .loc 1 14 0\n  ret;\n}\n";
    static const struct {
        int line;
        uint64_t wavefronts, ideal;
    } rows[] = {{11, 4, 4}, {12, 4, 1}, {13, 4, 4}};
    struct cost_machine x = cost_machine_start(ptx, 1);
    struct kernel_cost k;

    (void)state;
    cost_machine_run(&x, "wide", BLOCKS, 32);
    k = cost_machine_cost(&x);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct line_cost *line = line_of(&k, "vec.cu", rows[i].line);

        assert_non_null(line);
        assert_int_equal(line->counters.shared_requests, BLOCKS);
        assert_int_equal(line->counters.shared_wavefronts, BLOCKS * rows[i].wavefronts);
        assert_int_equal(line->counters.shared_ideal, BLOCKS * rows[i].ideal);
    }
    machine_free(x.m);
}

/* Two lanes share each of sixteen words. They take turns, but where ptxas makes a counter
 * of it, and a turn has as many wavefronts as on an H200. */
static void
test_shared_atomics(void **state)
{
    static const char ptx[] =
        HEAD ".visible .entry turns(.param .u64 p) {\n"
             "  .reg .b32 %r<9>; .reg .f32 %f<3>;\n"
             "  .shared .align 4 .b8 s[64];\n"
             "  .loc 1 10 0\n"
             "  mov.u32 %r1, %tid.x;\n"
             "  shr.u32 %r2, %r1, 1;\n"
             "  shl.b32 %r2, %r2, 2;\n"
             "  mov.u32 %r3, s;\n"
             "  add.s32 %r3, %r3, %r2;\n"
             "  mov.f32 %f1, 0f3f800000;\n"
             "  .loc 1 11 0\n  atom.shared.add.u32 %r4, [%r3], 1;\n"
             "  .loc 1 12 0\n  atom.shared.add.u32 %r5, [%r3], %r1;\n"
             "  .loc 1 13 0\n  atom.shared.cas.b32 %r6, [%r3], %r1, %r2;\n"
             "  .loc 1 14 0\n  atom.shared.add.f32 %f2, [%r3], %f1;\n"
             "  .loc 1 15 0\n  atom.shared.add.u32 %r7, [%r3], 1;\n"
             "  .loc 1 16 0\n  add.s32 %r8, %r7, %r7;\n  ret;\n}\n";
    static const struct {
        int line;
        uint64_t wavefronts, ideal;
    } rows[] = {{11, 1, 1}, {12, 2, 1}, {13, 4, 2}, {14, 6, 3}, {15, 2, 1}};
    struct cost_machine x = cost_machine_start(ptx, 1);
    struct kernel_cost k;

    (void)state;
    cost_machine_run(&x, "turns", BLOCKS, 32);
    k = cost_machine_cost(&x);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct line_cost *line = line_of(&k, "vec.cu", rows[i].line);

        assert_non_null(line);
        assert_int_equal(line->counters.shared_requests, BLOCKS);
        assert_int_equal(line->counters.shared_wavefronts, BLOCKS * rows[i].wavefronts);
        assert_int_equal(line->counters.shared_ideal, BLOCKS * rows[i].ideal);
    }
    machine_free(x.m);
}

/* Line 18 stands for what a header of the toolkit did; the header of the user's own
 * keeps its line. */
static void
test_inlined(void **state)
{
    static const char ptx[] =
        HEAD ".visible .entry inlined(.param .u64 p) {\n"
             "  .reg .f32 %f<6>;\n"
             "  .loc 2 900 0, function_name $L__info_string0, inlined_at 1 18 3\n"
             "  mov.f32 %f1, 0f3f800000;\n  add.f32 %f2, %f1, %f1;\n"
             "  .loc 3 7 0, function_name $L__info_string0, inlined_at 1 19 3\n"
             "  add.f32 %f3, %f2, %f2;\n"
             "  .loc 1 20 0\n  ret;\n}\n"
             ".section .debug_str\n{\n$L__info_string0:\n.b8 97\n.b8 0\n}\n";
    struct cost_machine x = cost_machine_start(ptx, 1);
    struct kernel_cost k;

    (void)state;
    cost_machine_run(&x, "inlined", 1, 64);
    k = cost_machine_cost(&x);
    assert_int_equal(k.line_count, 3);
    assert_non_null(line_of(&k, "vec.cu", 18));
    assert_int_equal(line_of(&k, "vec.cu", 18)->counters.fp32_flops, 64);
    assert_int_equal(line_of(&k, "mine.cuh", 7)->counters.fp32_flops, 64);
    assert_null(line_of(&k, "cuda_fp16.hpp", 900));
    machine_free(x.m);
}

/* The parts of the lines are all of the kernel's own time. */
static void
test_shares(void **state)
{
    static const char ptx[] =
        HEAD ".visible .entry two(.param .u64 p) {\n"
             "  .reg .b64 %rd<3>; .reg .f32 %f<3>;\n"
             "  .loc 1 1 0\n  ld.param.u64 %rd1, [p];\n  ld.global.f32 %f1, [%rd1];\n"
             "  .loc 1 2 0\n  st.global.f32 [%rd1+4], %f1;\n  ret;\n}\n";
    struct cost_machine x = cost_machine_start(ptx, 1);
    struct kernel_cost k;

    (void)state;
    cost_machine_run(&x, "two", 1, 32);
    cost_machine_run(&x, "two", 2, 32);
    k = cost_machine_cost(&x);
    assert_int_equal(k.counters.launches, 2);
    assert_int_equal(k.blocks, 3);
    assert_int_equal(k.line_count, 2);
    assert_true(k.launch_ns == 2 * device_at(0)->launch_ns);
    assert_true(k.line[0].ns > k.line[1].ns);
    assert_true(fabs(k.line[0].ns + k.line[1].ns - (k.ns - k.launch_ns)) < 1e-6);
    machine_costs_reset(x.m);
    assert_int_equal(machine_cost(x.m, 0, 0, &k), -1);
    cost_machine_run(&x, "two", 1, 32);
    assert_int_equal(cost_machine_cost(&x).counters.launches, 1);
    module_unload(x.m, x.mod); /* what it cost is remembered */
    k = cost_machine_cost(&x);
    assert_string_equal(k.name, "two");
    assert_int_equal(k.counters.launches, 1);
    assert_int_equal(k.line_count, 2);
    assert_string_equal(k.line[0].file, "vec.cu");
    machine_costs_reset(x.m);
    assert_int_equal(machine_cost(x.m, 0, 0, &k), -1);
    machine_free(x.m);
}

/* Bytes of the host's memory: those that a kernel moves, however small the memory is, and
 * those that are copied there. */
static void
test_host(void **state)
{
    enum { MANY = 9, MOVED = MANY * 35 * 32, PINNED = 8192 };
    static char pinned[PINNED] __attribute__((aligned(4096)));
    struct cost_machine x = cost_machine_start(lines_ptx, 1);
    const struct device_model *d = device_at(0);
    uint64_t device = x.buffer;
    struct kernel_cost k;
    struct counters c;

    (void)state;
    assert_true(MOVED > PINNED);
    x.buffer = memory_import_at(x.m, UINT64_C(0x7e0000000000), pinned, sizeof pinned,
                                true, &x.fault);
    assert_int_equal(x.buffer, UINT64_C(0x7e0000000000));
    cost_machine_run(&x, "lines", MANY, 32);
    machine_counters(x.m, &c);
    assert_int_equal(c.host_bytes, MOVED);
    assert_true(c.host_ns == MOVED / d->host_bytes_per_ns);
    k = cost_machine_cost(&x);
    assert_true(k.bound_ns[COST_HOST] == MOVED / d->pcie_bytes_per_ns);
    x.buffer = device;
    cost_machine_run(&x, "lines", BLOCKS, 32); /* touches nothing of the host's */
    machine_counters(x.m, &c);
    assert_int_equal(c.host_bytes, MOVED);
    machine_count_copy(x.m, COPY_H2D, 1 << 20, 0);
    machine_count_copy(x.m, COPY_D2D, 1 << 20, 2 << 20);
    machine_count_copy(x.m, COPY_D2H, 1000, 0);
    machine_counters(x.m, &c);
    assert_true(c.host_ns == (MOVED + 1000) / d->host_bytes_per_ns);
    machine_free(x.m);
}

/* The same to the bit, whatever the number of threads. */
static void
test_threads(void **state)
{
    struct kernel_cost costs[2];

    (void)state;
    memset(costs, 0, sizeof costs);
    for (int i = 0; i < 2; i++) {
        struct cost_machine x = cost_machine_start(lines_ptx, i == 0 ? 1 : 5);

        cost_machine_run(&x, "lines", 900, 32);
        assert_int_equal(machine_cost(x.m, 0, 0, &costs[i]), 0);
        machine_free(x.m);
    }
    assert_memory_equal(&costs[0].ns, &costs[1].ns, sizeof costs[0].ns);
    assert_memory_equal(&costs[0].counters, &costs[1].counters, sizeof costs[0].counters);
    for (int i = 0; i < COST_LINES; i++) {
        assert_string_equal(costs[0].line[i].file, costs[1].line[i].file);
        assert_int_equal(costs[0].line[i].line, costs[1].line[i].line);
        assert_memory_equal(&costs[0].line[i].ns, &costs[1].line[i].ns, sizeof(double));
        assert_memory_equal(&costs[0].line[i].counters, &costs[1].line[i].counters,
                            sizeof costs[0].line[i].counters);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_totals),         cmocka_unit_test(test_further_lines),
        cmocka_unit_test(test_lines),          cmocka_unit_test(test_inlined),
        cmocka_unit_test(test_shares),         cmocka_unit_test(test_threads),
        cmocka_unit_test(test_host),           cmocka_unit_test(test_wide_requests),
        cmocka_unit_test(test_shared_atomics),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
