// links: exec ptx
/* Kernels that whole programs once failed on, or that a part of the decoder could get
 * wrong, reduced to a few lines of PTX. */
#include "emulator/exec/exec.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { WORDS = 256 };

#define HEAD ".version 9.0\n.target sm_80\n.address_size 64\n"

/* Launches .entry k(.param .u64 out) with 64 threads and copies out's words; fails on a
 * fault and on a notice. */
static void
run(const char *ptx, uint32_t dynamic_shared, uint32_t *out)
{
    struct machine_options o = {
        .threads = 1, .checks = true, .instruction_budget = 1000000};
    struct machine *m = machine_new(&o);
    struct launch l = {
        .grid = {1, 1, 1}, .block = {64, 1, 1}, .dynamic_shared = dynamic_shared};
    struct module *mod;
    struct fault f = {0};
    uint64_t buffer;

    assert_non_null(m);
    buffer = memory_alloc(m, WORDS * sizeof *out, &f);
    assert_int_not_equal(buffer, 0);
    l.params = &buffer;
    mod = module_load(m, ptx, strlen(ptx), &f);
    if (mod == NULL)
        fail_msg("%s", f.text);
    if (machine_launch(m, module_kernel(mod, "k"), &l, &f) != 0 || f.kind != FAULT_NONE)
        fail_msg("%s", f.text);
    memcpy(out, memory_host(m, buffer, WORDS * sizeof *out), WORDS * sizeof *out);
    machine_free(m);
}

/* Cooperative groups of several warps keep their barriers in the system's part of shared
 * memory, which begins as zeros and is nobody else's: not the static variables' and not
 * dynamic shared memory's. */
static void
test_reserved_shared(void **state)
{
    static const char ptx[] = HEAD ".extern .shared .align 16 .b8 dyn[];\n"
                                   ".visible .entry k(.param .u64 out)\n"
                                   "{\n"
                                   ".shared .align 4 .b8 own[256];\n"
                                   ".reg .b32 %r<12>; .reg .b64 %d<4>;\n"
                                   "ld.param.u64 %d1, [out];\n"
                                   "mov.u32 %r1, %tid.x; shl.b32 %r2, %r1, 2;\n"
                                   "mov.u32 %r3, own; add.u32 %r3, %r3, %r2;\n"
                                   "mov.u32 %r4, dyn; add.u32 %r4, %r4, %r2;\n"
                                   "mov.u32 %r5, %reserved_smem_offset_1;\n"
                                   "add.u32 %r6, %r5, %r2;\n"
                                   "ld.shared.u32 %r7, [%r6];\n"
                                   "st.shared.u32 [%r3], 1; st.shared.u32 [%r4], 2;\n"
                                   "st.shared.u32 [%r6], 4; bar.sync 0;\n"
                                   "ld.shared.u32 %r8, [%r3]; ld.shared.u32 %r9, [%r4];\n"
                                   "ld.shared.u32 %r10, [%r6];\n"
                                   "add.u32 %r7, %r7, %r8; add.u32 %r7, %r7, %r9;\n"
                                   "add.u32 %r7, %r7, %r10;\n"
                                   "mov.u32 %r11, %total_smem_size;\n"
                                   "shl.b32 %r11, %r11, 8; add.u32 %r7, %r7, %r11;\n"
                                   "cvt.u64.u32 %d2, %r2; add.u64 %d1, %d1, %d2;\n"
                                   "st.global.u32 [%d1], %r7;\n"
                                   "ret;\n"
                                   "}\n";
    uint32_t out[WORDS];

    (void)state;
    run(ptx, 256, out);
    for (unsigned i = 0; i < 64; i++)
        assert_int_equal(out[i], 0 + 1 + 2 + 4 + (512 << 8));
}

/* 9.7.9.21 isspacep has no type; what is in no window is global. */
static void
test_isspacep(void **state)
{
    static const char ptx[] =
        HEAD ".visible .entry k(.param .u64 out)\n"
             "{\n"
             ".shared .align 4 .b8 own[4]; .local .align 4 .b8 mine[4];\n"
             ".reg .b32 %r<9>; .reg .b64 %d<9>; .reg .pred %p<5>;\n"
             "ld.param.u64 %d1, [out];\n"
             "mov.u64 %d2, own; cvta.shared.u64 %d2, %d2;\n"
             "mov.u64 %d3, mine; cvta.local.u64 %d3, %d3;\n"
             "isspacep.shared %p1, %d2; selp.u32 %r1, 1, 0, %p1;\n"
             "isspacep.global %p1, %d2; selp.u32 %r2, 2, 0, %p1;\n"
             "isspacep.local %p2, %d3; selp.u32 %r3, 4, 0, %p2;\n"
             "isspacep.shared %p2, %d3; selp.u32 %r4, 8, 0, %p2;\n"
             "isspacep.global %p3, %d1; selp.u32 %r5, 16, 0, %p3;\n"
             "isspacep.local %p3, %d1; selp.u32 %r6, 32, 0, %p3;\n"
             "add.u32 %r1, %r1, %r2; add.u32 %r1, %r1, %r3;\n"
             "add.u32 %r1, %r1, %r4; add.u32 %r1, %r1, %r5;\n"
             "add.u32 %r1, %r1, %r6; st.global.u32 [%d1], %r1;\n"
             "ret;\n"
             "}\n";
    uint32_t out[WORDS];

    (void)state;
    run(ptx, 0, out);
    assert_int_equal(out[0], 1 + 4 + 16);
}

/* Shared variables lie as ptxas of CUDA 13.0 lays them out (the addresses were read from
 * its cubin of this kernel): not in the order in which the code names them. What is never
 * named takes no room. */
static void
test_shared_layout(void **state)
{
    static const char ptx[] =
        HEAD ".shared .align 4 .b8 unused[100];\n"
             ".shared .align 4 .b8 incallee[12];\n"
             ".shared .align 4 .b8 inkernel[20];\n"
             ".extern .shared .align 16 .b8 dyn[];\n"
             ".func (.param .b32 r) f()\n"
             "{\n"
             ".shared .align 4 .b8 fown[8]; .reg .b32 %r<3>;\n"
             "mov.u32 %r1, incallee; mov.u32 %r2, fown; shl.b32 %r2, %r2, 8;\n"
             "add.u32 %r1, %r1, %r2; st.param.b32 [r], %r1; ret;\n"
             "}\n"
             ".visible .entry k(.param .u64 out)\n"
             "{\n"
             ".shared .align 4 .b8 first[4]; .shared .align 8 .b8 second[8];\n"
             ".reg .b32 %r<9>; .reg .b64 %d<4>;\n"
             "ld.param.u64 %d1, [out];\n"
             "mov.u32 %r1, dyn; st.global.u32 [%d1], %r1;\n"
             "{ .param .b32 r; call.uni (r), f, (); ld.param.b32 %r2, [r]; }\n"
             "st.global.u32 [%d1+4], %r2;\n"
             "mov.u32 %r1, inkernel; st.global.u32 [%d1+8], %r1;\n"
             "mov.u32 %r1, second; st.global.u32 [%d1+12], %r1;\n"
             "mov.u32 %r1, first; st.global.u32 [%d1+16], %r1;\n"
             "ret;\n"
             "}\n";
    uint32_t out[WORDS];

    (void)state;
    run(ptx, 16, out);
    assert_int_equal(out[4], 0);         /* first */
    assert_int_equal(out[3], 8);         /* second */
    assert_int_equal(out[1] & 0xff, 16); /* incallee */
    assert_int_equal(out[2], 28);        /* inkernel */
    assert_int_equal(out[1] >> 8, 48);   /* fown */
    assert_int_equal(out[0], 64);        /* dyn */
}

/* Each constant gets a row of its own and every one is found again, however many. */
static void
test_many_constants(void **state)
{
    enum { CONSTANTS = 5000 };
    uint32_t out[WORDS], sum = 0;
    char *ptx = NULL;
    size_t len = 0;
    FILE *text = open_memstream(&ptx, &len);

    (void)state;
    assert_non_null(text);
    fprintf(text, HEAD ".visible .entry k(.param .u64 out)\n{\n"
                       ".reg .b32 %%r<2>; .reg .b64 %%d<2>;\n"
                       "ld.param.u64 %%d1, [out]; mov.u32 %%r1, 0;\n");
    for (uint32_t turn = 0; turn < 2; turn++) {
        for (uint32_t i = 0; i < CONSTANTS; i++) {
            uint32_t c = i * 2654435761u;

            fprintf(text, "mad.lo.u32 %%r1, %%r1, 3, %u;\n", c);
            sum = sum * 3 + c;
        }
    }
    fprintf(text, "st.global.u32 [%%d1], %%r1;\nret;\n}\n");
    assert_int_equal(fclose(text), 0);
    run(ptx, 0, out);
    assert_int_equal(out[0], sum);
    free(ptx);
}

/* The first look of a compare-and-swap loop is no race, also where nvcc wrote the
 * address's constant into the load but not into the atomic. */
static void
test_look_before_swap(void **state)
{
    static const char ptx[] = HEAD ".visible .entry k(.param .u64 out)\n"
                                   "{\n"
                                   ".reg .b32 %r<9>; .reg .b64 %d<4>; .reg .pred %p<2>;\n"
                                   "ld.param.u64 %d1, [out]; mov.u32 %r5, %tid.x;\n"
                                   "setp.eq.u32 %p1, %r5, 0;\n"
                                   "@%p1 st.global.u32 [%d1+8], 0; bar.sync 0;\n"
                                   "ld.global.u32 %r1, [%d1+8];\n"
                                   "add.s64 %d2, %d1, 8;\n"
                                   "L: mov.u32 %r2, %r1; add.u32 %r3, %r2, 1;\n"
                                   "atom.global.cas.b32 %r1, [%d2], %r2, %r3;\n"
                                   "setp.ne.u32 %p1, %r1, %r2;\n"
                                   "@%p1 bra L;\n"
                                   "ret;\n"
                                   "}\n";
    uint32_t out[WORDS];

    (void)state;
    run(ptx, 0, out);
    assert_int_equal(out[2], 64);
}

/* Registers of one block give their rows to one another (vector_reuse.c), but not those
 * that keep something from one round of a loop to the next: %r5 is written under a guard,
 * %r6 is read before it is written. What follows them in the block would take their rows.
 */
static void
test_rows_of_a_loop(void **state)
{
    static const char ptx[] =
        HEAD ".visible .entry k(.param .u64 out)\n"
             "{\n"
             ".reg .b32 %r<20>; .reg .b64 %d<4>; .reg .pred %p<5>;\n"
             "ld.param.u64 %d1, [out];\n"
             "mov.u32 %r1, %tid.x; and.b32 %r2, %r1, 3;\n"
             "mov.u32 %r3, 0; mov.u32 %r4, 0;\n"
             "loop:\n"
             "and.b32 %r7, %r3, 3; setp.eq.u32 %p1, %r7, %r2;\n"
             "setp.eq.u32 %p2, %r3, 0; or.pred %p1, %p1, %p2;\n"
             "@%p1 mov.b32 %r5, %r3;\n"
             "add.u32 %r4, %r4, %r5;\n"
             "selp.b32 %r8, %r1, %r6, %p2;\n"
             "add.u32 %r6, %r8, 5;\n"
             "mul.lo.u32 %r9, %r8, 3; add.u32 %r10, %r9, 1000;\n"
             "mul.lo.u32 %r11, %r10, 7; xor.b32 %r12, %r11, %r10;\n"
             "add.u32 %r13, %r12, %r9; add.u32 %r14, %r13, %r11;\n"
             "add.u32 %r4, %r4, %r14;\n"
             "add.u32 %r3, %r3, 1; setp.lt.u32 %p3, %r3, 10;\n"
             "@%p3 bra loop;\n"
             "shl.b32 %r15, %r1, 2; cvt.u64.u32 %d2, %r15; add.u64 %d1, %d1, %d2;\n"
             "st.global.u32 [%d1], %r4;\n"
             "ret;\n"
             "}\n";
    uint32_t out[WORDS];

    (void)state;
    run(ptx, 0, out);
    for (uint32_t i = 0; i < 64; i++) {
        uint32_t sum = 0, kept = 0, next = i;

        for (uint32_t k = 0; k < 10; k++) {
            uint32_t tripled = 3 * next, a = tripled + 1000, b = 7 * a;

            kept = k % 4 == i % 4 || k == 0 ? k : kept;
            sum += kept + (b ^ a) + tripled + b;
            next += 5;
        }
        assert_int_equal(out[i], sum);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reserved_shared),  cmocka_unit_test(test_isspacep),
        cmocka_unit_test(test_shared_layout),    cmocka_unit_test(test_many_constants),
        cmocka_unit_test(test_look_before_swap), cmocka_unit_test(test_rows_of_a_loop),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
