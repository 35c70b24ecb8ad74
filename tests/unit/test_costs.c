// links: exec ptx emulated
/* Costs by kernel and by source line. The kernels are written so that every count can be
 * told by hand: 32 lanes, known addresses, a line for each kind of instruction. */
#include "../fixtures/emulated.h"

#include "emulator/exec/cost/model.h"
#include "emulator/exec/exec.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { BLOCKS = 3, BYTES = 1 << 16 };

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

struct fixture {
    struct machine *m;
    struct module *mod;
    uint64_t buffer;
    struct fault fault;
};

static struct fixture
start(const char *ptx, int threads)
{
    struct machine_options o = {.threads = threads, .checks = true};
    struct fixture x = {.m = machine_new(&o)};

    assert_non_null(x.m);
    x.mod = module_load(x.m, ptx, strlen(ptx), &x.fault);
    if (x.mod == NULL)
        fail_msg("%s", x.fault.text);
    (void)emulated_buffer(x.m, BYTES, &x.buffer);
    return x;
}

static void
run(struct fixture *x, const char *name, uint32_t blocks, uint32_t threads)
{
    struct launch l = {
        .grid = {blocks, 1, 1}, .block = {threads, 1, 1}, .params = &x->buffer};

    if (machine_launch(x->m, module_kernel(x->mod, name), &l, &x->fault) != 0)
        fail_msg("%s", x->fault.text);
}

static const struct line_cost *
line_of(const struct kernel_cost *k, const char *file, int line)
{
    for (uint32_t i = 0; i < k->line_count; i++)
        if (strcmp(k->line[i].file, file) == 0 && k->line[i].line == line)
            return &k->line[i];
    return NULL;
}

/* More lines than are told at once: asks for those wanted by looking at totals, too. */
static struct kernel_cost
cost(struct fixture *x)
{
    struct kernel_cost k;

    assert_int_equal(machine_cost(x->m, 0, &k), 0);
    assert_int_equal(machine_cost(x->m, 1, &k), -1);
    return k;
}

/* --- exact counts -------------------------------------------------------- */

static void
test_totals(void **state)
{
    struct fixture x = start(lines_ptx, 1);
    struct kernel_cost k;

    (void)state;
    run(&x, "lines", BLOCKS, 32);
    k = cost(&x);
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

static void
test_lines(void **state)
{
    struct fixture x = start(lines_ptx, 1);
    const struct line_cost *line;
    struct kernel_cost k;

    (void)state;
    run(&x, "lines", BLOCKS, 32);
    k = cost(&x);
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
    struct fixture x = start(ptx, 1);
    struct kernel_cost k;

    (void)state;
    run(&x, "inlined", 1, 64);
    k = cost(&x);
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
    struct fixture x = start(ptx, 1);
    struct kernel_cost k;

    (void)state;
    run(&x, "two", 1, 32);
    run(&x, "two", 2, 32);
    k = cost(&x);
    assert_int_equal(k.counters.launches, 2);
    assert_int_equal(k.blocks, 3);
    assert_int_equal(k.line_count, 2);
    assert_true(k.launch_ns == 2 * device_at(0)->launch_ns);
    assert_true(k.line[0].ns > k.line[1].ns);
    assert_true(fabs(k.line[0].ns + k.line[1].ns - (k.ns - k.launch_ns)) < 1e-6);
    machine_costs_reset(x.m);
    assert_int_equal(machine_cost(x.m, 0, &k), -1);
    run(&x, "two", 1, 32);
    assert_int_equal(cost(&x).counters.launches, 1);
    module_unload(x.m, x.mod); /* what it cost is remembered */
    k = cost(&x);
    assert_string_equal(k.name, "two");
    assert_int_equal(k.counters.launches, 1);
    assert_int_equal(k.line_count, 2);
    assert_string_equal(k.line[0].file, "vec.cu");
    machine_costs_reset(x.m);
    assert_int_equal(machine_cost(x.m, 0, &k), -1);
    machine_free(x.m);
}

/* Bytes of the host's memory: those that a kernel moves, however small the memory is, and
 * those that are copied there. */
static void
test_host(void **state)
{
    enum { MANY = 9, MOVED = MANY * 35 * 32, PINNED = 8192 };
    static char pinned[PINNED] __attribute__((aligned(4096)));
    struct fixture x = start(lines_ptx, 1);
    const struct device_model *d = device_at(0);
    uint64_t device = x.buffer;
    struct kernel_cost k;
    struct counters c;

    (void)state;
    assert_true(MOVED > PINNED);
    x.buffer = memory_import_at(x.m, UINT64_C(0x7e0000000000), pinned, sizeof pinned,
                                true, &x.fault);
    assert_int_equal(x.buffer, UINT64_C(0x7e0000000000));
    run(&x, "lines", MANY, 32);
    machine_counters(x.m, &c);
    assert_int_equal(c.host_bytes, MOVED);
    assert_true(c.host_ns == MOVED / d->host_bytes_per_ns);
    k = cost(&x);
    assert_true(k.bound_ns[COST_HOST] == MOVED / d->pcie_bytes_per_ns);
    x.buffer = device;
    run(&x, "lines", BLOCKS, 32); /* touches nothing of the host's */
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
        struct fixture x = start(lines_ptx, i == 0 ? 1 : 5);

        run(&x, "lines", 900, 32);
        assert_int_equal(machine_cost(x.m, 0, &costs[i]), 0);
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

/* --- critical paths ------------------------------------------------------ */

#define PATH_KERNEL(name, body)                                                          \
    ".visible .entry " name "(.param .u64 p) {\n"                                        \
    "  .reg .b64 %rd<6>; .reg .b32 %r<3>; .reg .f32 %f<9>;\n  .loc 1 1 0\n"              \
    "  ld.param.u64 %rd1, [p];\n" body "  ret;\n}\n"

static void
test_paths(void **state)
{
    /* name, loads that one warp has to wait for one after the other */
    static const struct {
        const char *name;
        uint64_t loads;
    } kernels[] = {{"beside", 1},    {"chain", 2},    {"behind", 2},
                   {"unordered", 1}, {"shuffled", 1}, {"matrices", 2}};
    static const char ptx[] = HEAD PATH_KERNEL("beside",
                                               "  ld.global.f32 %f1, [%rd1];\n"
                                               "  ld.global.f32 %f2, [%rd1+4];\n"
                                               "  add.f32 %f3, %f1, %f2;\n")
        PATH_KERNEL("chain", "  ld.global.b64 %rd2, [%rd1+8];\n"
                             "  add.s64 %rd3, %rd1, %rd2;\n"
                             "  ld.global.f32 %f1, [%rd3];\n")
            PATH_KERNEL("behind", "  ld.global.f32 %f1, [%rd1];\n"
                                  "  st.global.f32 [%rd1+4], %f1;\n"
                                  "  ld.global.f32 %f2, [%rd1+8];\n")
                PATH_KERNEL("unordered", "  ld.global.f32 %f1, [%rd1];\n"
                                         "  st.global.f32 [%rd1+4], %f1;\n"
                                         "  ld.global.nc.f32 %f2, [%rd1+8];\n")
                    PATH_KERNEL("shuffled", "  ld.global.f32 %f1, [%rd1];\n"
                                            "  shfl.sync.idx.b32 %f2, %f1, 0, 31, -1;\n"
                                            "  ld.global.f32 %f3, [%rd1+4];\n")
                        PATH_KERNEL(
                            "matrices", /* a load does not pass a matrix's store */
                            "  mov.u32 %r1, 16;\n"
                            "  wmma.load.c.sync.aligned.row.m16n16k16.global.f32 "
                            "{%f0,%f1,%f2,%f3,%f4,%f5,%f6,%f7}, [%rd1], %r1;\n"
                            "  wmma.store.d.sync.aligned.row.m16n16k16.global.f32 "
                            "[%rd1], {%f0,%f1,%f2,%f3,%f4,%f5,%f6,%f7}, %r1;\n"
                            "  ld.global.f32 %f8, [%rd1+8];\n");
    struct fixture x = start(ptx, 1);

    (void)state;
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
        machine_costs_reset(x.m);
        run(&x, kernels[i].name, 4, 64);
        assert_int_equal(cost(&x).counters.path_loads, 8 * kernels[i].loads);
    }
    machine_free(x.m);
}

/* `i < n ? a[i] : other`: a branch around a load to f, for threads from below on. */
#define GUARDED(f, other, label, below, more)                                            \
    "  mov.f32 " f ", " other ";\n  setp.ge.u32 %p1, %r1, " below ";\n"                  \
    "  @%p1 bra " label ";\n  ld.global.f32 " f ", [%rd1+64];\n" more label ":\n"
#define TEN_MULTIPLICATIONS                                                              \
    "  mul.f32 %f5, %f5, %f5;\n  mul.f32 %f5, %f5, %f5;\n  mul.f32 %f5, %f5, %f5;\n"     \
    "  mul.f32 %f5, %f5, %f5;\n  mul.f32 %f5, %f5, %f5;\n  mul.f32 %f5, %f5, %f5;\n"     \
    "  mul.f32 %f5, %f5, %f5;\n  mul.f32 %f5, %f5, %f5;\n  mul.f32 %f5, %f5, %f5;\n"     \
    "  mul.f32 %f5, %f5, %f5;\n"
#define GUARDED_KERNEL(name, body)                                                       \
    ".visible .entry " name "(.param .u64 p) {\n  .reg .pred %p<3>; .reg .b32 %r<3>;\n"  \
    "  .reg .b64 %rd<6>; .reg .f32 %f<6>;\n  .loc 1 1 0\n"                               \
    "  ld.param.u64 %rd1, [p];\n  mov.u32 %r1, %tid.x;\n  mov.f32 %f5, "                 \
    "0f3f800000;\n" body                                                                 \
    "  add.f32 %f3, %f1, %f2;\n  st.global.f32 [%rd1], %f3;\n  ret;\n}\n"

/* Loads behind branches that ptxas makes guards of wait together, and no guard hides what
 * needs another load. */
static void
test_guarded_loads(void **state)
{
    static const struct {
        const char *name;
        uint64_t loads;
    } kernels[] = {{"beside", 1}, {"chain", 2}, {"left_out", 2}, {"two", 2}, {"far", 2}};
    static const char ptx[] = HEAD GUARDED_KERNEL(
        "beside",
        GUARDED("%f1", "%f5", "a", "64", "") GUARDED(
            "%f2", "%f5", "b", "64",
            "")) GUARDED_KERNEL("chain", /* the second's address needs the first's value
                                          */
                                GUARDED("%f1", "%f5", "a", "64",
                                        "") "  cvt.rzi.u64.f32 %rd2, %f1;\n  add.s64 "
                                            "%rd1, %rd1, %rd2;\n" GUARDED("%f2", "%f5",
                                                                          "b", "64", ""))
        GUARDED_KERNEL(
            "left_out", /* what nobody executes overwrites the first's value */
            GUARDED(
                "%f1", "%f5", "a", "64",
                "") "  setp.lt.u32 %p2, %r1, 64;\n  @%p2 bra c;\n"
                    "  mov.f32 %f1, 0f00000000;\nc:\n"
                    "  cvt.rzi.u64.f32 %rd2, %f1;\n  add.s64 %rd1, %rd1, %rd2;\n" GUARDED(
                        "%f2", "%f5", "b", "64", ""))
            GUARDED_KERNEL(
                "two", /* too many loads to be guarded */
                GUARDED("%f1", "%f5", "a", "64", "  ld.global.f32 %f3, [%rd1+8];\n")
                    GUARDED("%f2", "%f5", "b", "64", "  ld.global.f32 %f4, [%rd1+8];\n"))
                GUARDED_KERNEL("far", /* too many instructions */
                               GUARDED("%f1", "%f5", "a", "64",
                                       TEN_MULTIPLICATIONS TEN_MULTIPLICATIONS)
                                   GUARDED("%f2", "%f5", "b", "64",
                                           TEN_MULTIPLICATIONS TEN_MULTIPLICATIONS));
    struct fixture x = start(ptx, 1);

    (void)state;
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
        machine_costs_reset(x.m);
        run(&x, kernels[i].name, 4, 64);
        if (cost(&x).counters.path_loads != 8 * kernels[i].loads)
            fail_msg("%s: %llu loads", kernels[i].name,
                     (unsigned long long)cost(&x).counters.path_loads);
    }
    machine_free(x.m);
}

#define MMA_KERNEL(name, shape, registers, product)                                      \
    ".visible .entry " name "(.param .u64 p) {\n"                                        \
    "  .reg .b32 %r<12>; .reg .f32 %f<12>; .reg .f64 %d<6>;\n" registers                 \
    "  mma.sync.aligned." shape ".row.col." product "  ret;\n}\n"

/* Each type of a product takes its own time of the tensor cores. */
static void
test_tensor_types(void **state)
{
    static const struct {
        const char *name;
        uint64_t flops;
        double cycles; /* of 4096 flops of f16, 2048 of tf32, 256 of f64, 8192 of bytes */
    } products[] = {
        {"f16", 4096, 1}, {"tf32", 2048, 1}, {"f64", 512, 2}, {"s8", 8192, 1}};
    static const char ptx[] = HEAD MMA_KERNEL(
        "f16", "m16n8k16", "  mov.b32 %r1, 0;\n  mov.f32 %f1, 0f00000000;\n",
        "f32.f16.f16.f32 {%f2,%f3,%f4,%f5}, {%r1,%r1,%r1,%r1}, {%r1,%r1}, "
        "{%f1,%f1,%f1,%f1};\n")
        MMA_KERNEL("tf32", "m16n8k8", "  mov.b32 %r1, 0;\n  mov.f32 %f1, 0f00000000;\n",
                   "f32.tf32.tf32.f32 {%f2,%f3,%f4,%f5}, {%r1,%r1,%r1,%r1}, {%r1,%r1}, "
                   "{%f1,%f1,%f1,%f1};\n")
            MMA_KERNEL("f64", "m8n8k4", "  mov.f64 %d1, 0d0000000000000000;\n",
                       "f64.f64.f64.f64 {%d2,%d3}, {%d1}, {%d1}, {%d1,%d1};\n")
                MMA_KERNEL("s8", "m16n8k32", "  mov.b32 %r1, 0;\n",
                           "s32.s8.s8.s32 {%r2,%r3,%r4,%r5}, {%r1,%r1,%r1,%r1}, "
                           "{%r1,%r1}, {%r1,%r1,%r1,%r1};\n");
    struct fixture x = start(ptx, 1);

    (void)state;
    for (size_t i = 0; i < sizeof products / sizeof *products; i++) {
        struct kernel_cost k;

        machine_costs_reset(x.m);
        run(&x, products[i].name, 1, 32);
        k = cost(&x);
        assert_int_equal(k.counters.tensor_flops, products[i].flops);
        assert_true(k.bound_ns[COST_TENSOR] ==
                    products[i].cycles / device_at(0)->clock_ghz);
        /* A warp has one of the four tensor cores. */
        assert_true(k.bound_ns[COST_ISSUE] >=
                    4 * products[i].cycles / device_at(0)->clock_ghz);
    }
    machine_free(x.m);
}

#define PRODUCT(sum)                                                                     \
    "  mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%d" sum "2,%d" sum "3}, {%d1}, " \
    "{%d1}, {%d" sum "2,%d" sum "3};\n"

/* Products that need each other follow each other; others overlap. */
static void
test_products_overlap(void **state)
{
    static const char ptx[] =
        HEAD ".visible .entry chain(.param .u64 p) {\n  .reg .f64 %d<70>;\n" PRODUCT("1")
            PRODUCT("1") PRODUCT("1") PRODUCT("1") "  ret;\n}\n"
                                                   ".visible .entry apart(.param .u64 p) "
                                                   "{\n  .reg .f64 %d<70>;\n" PRODUCT("1")
                                                       PRODUCT("2") PRODUCT("3")
                                                           PRODUCT("4") "  ret;\n}\n";
    struct fixture x = start(ptx, 1);
    uint64_t chain, apart;

    (void)state;
    run(&x, "chain", 1, 32);
    chain = cost(&x).counters.path_cycles;
    machine_costs_reset(x.m);
    run(&x, "apart", 1, 32);
    apart = cost(&x).counters.path_cycles;
    assert_true(apart < 2 * 33 && chain >= 4 * 33);
    machine_free(x.m);
}

/* A matrix that is read from global memory is waited for as any load is. Local memory
 * lies in L1, a word of all lanes beside each other where they have the same offset. */
static void
test_other_memory(void **state)
{
    static const char ptx[] = HEAD
        ".visible .entry matrix(.param .u64 p) {\n"
        "  .reg .b64 %rd<3>; .reg .b32 %r<12>;\n  ld.param.u64 %rd1, [p];\n"
        "  mov.u32 %r9, 16;\n"
        "  wmma.load.a.sync.aligned.row.m16n16k16.global.f16 "
        "{%r1,%r2,%r3,%r4,%r5,%r6,%r7,%r8}, [%rd1], %r9;\n  ret;\n}\n"
        ".visible .entry local(.param .u64 p) {\n"
        "  .reg .b64 %rd<5>; .reg .b32 %r<5>;\n  .local .align 4 .b8 own[4096];\n"
        "  mov.u32 %r1, %tid.x;\n  mul.wide.u32 %rd1, %r1, 4;\n  mov.u64 %rd2, own;\n"
        "  add.s64 %rd3, %rd2, %rd1;\n"
        "  st.local.u32 [%rd3], %r1;\n" /* 32 words */
        "  ld.local.u32 %r4, [%rd2];\n" /* one */
        "  ret;\n}\n";
    struct fixture x = start(ptx, 1);

    (void)state;
    run(&x, "matrix", 1, 32);
    assert_int_equal(cost(&x).counters.path_loads, 1);
    machine_costs_reset(x.m);
    run(&x, "local", 1, 32);
    assert_int_equal(cost(&x).counters.local_wavefronts, 32 + 1);
    assert_true(cost(&x).bound_ns[COST_L1] == 33 / device_at(0)->clock_ghz);
    machine_free(x.m);
}

/* A guarded mov chooses between two values, which machine code does by an instruction.
 * An unguarded one is a name. */
static void
test_choices(void **state)
{
    static const char ptx[] =
        HEAD ".visible .entry named(.param .u64 p) {\n  .reg .b32 %r<5>;\n"
             "  mov.u32 %r1, %tid.x;\n  mov.b32 %r2, %r1;\n  mov.b32 %r2, %r1;\n"
             "  ret;\n}\n"
             ".visible .entry chosen(.param .u64 p) {\n  .reg .b32 %r<5>;\n"
             "  .reg .pred %p<2>;\n"
             "  mov.u32 %r1, %tid.x;\n  mov.b32 %r2, %r1;\n  @%p1 mov.b32 %r2, %r1;\n"
             "  ret;\n}\n";
    struct fixture x = start(ptx, 1);
    uint64_t named;

    (void)state;
    run(&x, "named", 1, 32);
    named = cost(&x).counters.issue_slots;
    machine_costs_reset(x.m);
    run(&x, "chosen", 1, 32);
    assert_int_equal(cost(&x).counters.issue_slots, named + 1);
    machine_free(x.m);
}

/* A reduction in bulk is as many atomics as it has elements, at the rate of L2. */
static void
test_bulk_reductions(void **state)
{
    static const char ptx[] = HEAD
        ".visible .entry sums(.param .u64 p) {\n"
        "  .reg .b32 %r<2>; .reg .b64 %rd<2>;\n  .shared .align 16 .b8 s[192];\n"
        "  ld.param.u64 %rd1, [p];\n  mov.u32 %r1, s;\n"
        "  cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%rd1], [%r1], "
        "192;\n  ret;\n}\n";
    struct fixture x = start(ptx, 1);
    struct counters c;

    (void)state;
    run(&x, "sums", 2, 1);
    c = cost(&x).counters;
    assert_int_equal(c.atomic_sectors, 2 * 6);
    assert_int_equal(c.atomic_hottest, 2 * 32);
    machine_free(x.m);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_totals),
        cmocka_unit_test(test_lines),
        cmocka_unit_test(test_inlined),
        cmocka_unit_test(test_shares),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_paths),
        cmocka_unit_test(test_host),
        cmocka_unit_test(test_choices),
        cmocka_unit_test(test_bulk_reductions),
        cmocka_unit_test(test_tensor_types),
        cmocka_unit_test(test_products_overlap),
        cmocka_unit_test(test_other_memory),
        cmocka_unit_test(test_guarded_loads),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
