// links: exec ptx cost_machine
/* Costs: what waits for what. Loads, guards, products of matrices and atomics, as the
 * counters of one kernel have them. */
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

#define HEAD                                                                             \
    ".version 8.0\n.target sm_80\n.address_size 64\n.file 1 \"/home/ada/vec.cu\"\n"

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
    struct cost_machine x = cost_machine_start(ptx, 1);

    (void)state;
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
        machine_costs_reset(x.m);
        cost_machine_run(&x, kernels[i].name, 4, 64);
        assert_int_equal(cost_machine_cost(&x).counters.path_loads, 8 * kernels[i].loads);
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
    struct cost_machine x = cost_machine_start(ptx, 1);

    (void)state;
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
        machine_costs_reset(x.m);
        cost_machine_run(&x, kernels[i].name, 4, 64);
        if (cost_machine_cost(&x).counters.path_loads != 8 * kernels[i].loads)
            fail_msg("%s: %llu loads", kernels[i].name,
                     (unsigned long long)cost_machine_cost(&x).counters.path_loads);
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
    struct cost_machine x = cost_machine_start(ptx, 1);

    (void)state;
    for (size_t i = 0; i < sizeof products / sizeof *products; i++) {
        struct kernel_cost k;

        machine_costs_reset(x.m);
        cost_machine_run(&x, products[i].name, 1, 32);
        k = cost_machine_cost(&x);
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
    struct cost_machine x = cost_machine_start(ptx, 1);
    uint64_t chain, apart;

    (void)state;
    cost_machine_run(&x, "chain", 1, 32);
    chain = cost_machine_cost(&x).counters.path_cycles;
    machine_costs_reset(x.m);
    cost_machine_run(&x, "apart", 1, 32);
    apart = cost_machine_cost(&x).counters.path_cycles;
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
    struct cost_machine x = cost_machine_start(ptx, 1);

    (void)state;
    cost_machine_run(&x, "matrix", 1, 32);
    assert_int_equal(cost_machine_cost(&x).counters.path_loads, 1);
    machine_costs_reset(x.m);
    cost_machine_run(&x, "local", 1, 32);
    assert_int_equal(cost_machine_cost(&x).counters.local_wavefronts, 32 + 1);
    assert_true(cost_machine_cost(&x).bound_ns[COST_L1] == 33 / device_at(0)->clock_ghz);
    machine_free(x.m);
}

/* An SM shuffles one warp in a cycle, and adds one up in two. A cache of constants gives
 * a word at a time, of which the first is the instruction's own. */
static void
test_turns(void **state)
{
    static const char ptx[] =
        HEAD ".const .align 4 .b8 table[128];\n"
             ".visible .entry shuffles(.param .u64 p) {\n"
             "  .reg .b32 %r<4>;\n  mov.u32 %r1, %tid.x;\n"
             "  shfl.sync.bfly.b32 %r2, %r1, 1, 31, -1;\n"
             "  redux.sync.add.u32 %r3, %r2, -1;\n  ret;\n}\n"
             ".visible .entry constants(.param .u64 p) {\n"
             "  .reg .b64 %rd<4>; .reg .b32 %r<5>;\n"
             "  mov.u32 %r1, %tid.x;\n  mul.wide.u32 %rd1, %r1, 4;\n"
             "  mov.u64 %rd2, table;\n  add.s64 %rd3, %rd2, %rd1;\n"
             "  ld.const.u32 %r2, [%rd2];\n"
             "  ld.const.u32 %r3, [%rd3];\n  ret;\n}\n"; /* 32 words */
    struct cost_machine x = cost_machine_start(ptx, 1);

    (void)state;
    cost_machine_run(&x, "shuffles", 1, 32);
    assert_int_equal(cost_machine_cost(&x).counters.local_wavefronts, 1 + 2);
    assert_true(cost_machine_cost(&x).bound_ns[COST_L1] == 3 / device_at(0)->clock_ghz);
    machine_costs_reset(x.m);
    cost_machine_run(&x, "constants", 1, 32);
    assert_int_equal(cost_machine_cost(&x).counters.local_wavefronts, 31);
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
    struct cost_machine x = cost_machine_start(ptx, 1);
    uint64_t named;

    (void)state;
    cost_machine_run(&x, "named", 1, 32);
    named = cost_machine_cost(&x).counters.issue_slots;
    machine_costs_reset(x.m);
    cost_machine_run(&x, "chosen", 1, 32);
    assert_int_equal(cost_machine_cost(&x).counters.issue_slots, named + 1);
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
    struct cost_machine x = cost_machine_start(ptx, 1);
    struct counters c;

    (void)state;
    cost_machine_run(&x, "sums", 2, 1);
    c = cost_machine_cost(&x).counters;
    assert_int_equal(c.atomic_sectors, 2 * 6);
    assert_int_equal(c.atomic_hottest, 2 * 32);
    machine_free(x.m);
}

/* Integers of lanes that meet are one update of memory, floats are one for each lane. */
static void
test_lanes_that_meet(void **state)
{
    static const char ptx[] =
        HEAD ".visible .entry integers(.param .u64 p) {\n  .reg .b64 %rd<2>;\n"
             "  ld.param.u64 %rd1, [p];\n  red.global.add.u32 [%rd1], 1;\n  ret;\n}\n"
             ".visible .entry floats(.param .u64 p) {\n  .reg .b64 %rd<2>;\n"
             "  ld.param.u64 %rd1, [p];\n  red.global.add.f32 [%rd1], 0f3f800000;\n"
             "  ret;\n}\n";
    struct cost_machine x = cost_machine_start(ptx, 1);

    (void)state;
    cost_machine_run(&x, "integers", 3, 64);
    assert_int_equal(cost_machine_cost(&x).counters.atomic_hottest, 3 * 2);
    machine_costs_reset(x.m);
    cost_machine_run(&x, "floats", 3, 64);
    assert_int_equal(cost_machine_cost(&x).counters.atomic_hottest, 3 * 64);
    machine_free(x.m);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_paths),           cmocka_unit_test(test_guarded_loads),
        cmocka_unit_test(test_tensor_types),    cmocka_unit_test(test_products_overlap),
        cmocka_unit_test(test_other_memory),    cmocka_unit_test(test_choices),
        cmocka_unit_test(test_bulk_reductions), cmocka_unit_test(test_turns),
        cmocka_unit_test(test_lanes_that_meet),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
