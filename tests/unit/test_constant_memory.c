// links: exec ptx
/* Constant memory: ld.const reaches .const variables alone, and a module has 64 KiB. */
#include "emulator/exec/exec.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { WORDS = 64 };

#define HEAD ".version 9.0\n.target sm_80\n.address_size 64\n"

/* Thread t copies word t of `from`, or of the variable `table` for threads below
 * `border`. */
static const char copy_kernel[] =
    HEAD ".const .align 4 .u32 table[4] = {10, 11, 12, 13};\n"
         ".visible .entry k(.param .u64 out, .param .u64 from, .param .u32 border)\n"
         "{\n"
         ".reg .b32 %r<6>; .reg .b64 %d<8>; .reg .pred %p;\n"
         "ld.param.u64 %d1, [out]; ld.param.u64 %d2, [from];\n"
         "ld.param.u32 %r1, [border];\n"
         "mov.u32 %r2, %tid.x; and.b32 %r3, %r2, 3; setp.lt.u32 %p, %r2, %r1;\n"
         "mul.wide.u32 %d3, %r3, 4; mov.u64 %d4, table;\n"
         "selp.b64 %d5, %d4, %d2, %p; add.u64 %d5, %d5, %d3;\n"
         "ld.const.u32 %r4, [%d5];\n"
         "mul.wide.u32 %d6, %r2, 4; add.u64 %d6, %d6, %d1; st.global.u32 [%d6], %r4;\n"
         "ret;\n"
         "}\n";

struct copy_params {
    uint64_t out, from;
    uint32_t border, pad;
};

/* Launches it with WORDS threads. Returns what machine_launch does; out has the words. */
static int
copy_run(uint32_t border, uint32_t *out, struct fault *f)
{
    struct machine_options o = {
        .threads = 1, .checks = true, .instruction_budget = 1000000};
    struct machine *m = machine_new(&o);
    struct module *mod = module_load(m, copy_kernel, sizeof copy_kernel - 1, f);
    struct copy_params p = {.border = border};
    struct launch l = {.grid = {1, 1, 1}, .block = {WORDS, 1, 1}, .params = &p};
    int rc;

    if (mod == NULL)
        fail_msg("%s", f->text);
    p.out = memory_alloc(m, WORDS * sizeof *out, f);
    p.from = memory_alloc(m, 16, f);
    memset(memory_host(m, p.from, 16), 0x55, 16);
    memory_mark(m, p.from, 16, true);
    rc = machine_launch(m, module_kernel(mod, "k"), &l, f);
    memcpy(out, memory_host(m, p.out, WORDS * sizeof *out), WORDS * sizeof *out);
    machine_free(m);
    return rc;
}

static void
test_reads_constants(void **state)
{
    struct fault f = {0};
    uint32_t out[WORDS];

    (void)state;
    if (copy_run(WORDS, out, &f) != 0 || f.kind != FAULT_NONE)
        fail_msg("%s", f.text);
    for (uint32_t i = 0; i < WORDS; i++)
        assert_int_equal(out[i], 10 + i % 4);
}

static void
test_global_address(void **state)
{
    /* All lanes; some of a warp; the last lane of the last warp. */
    static const uint32_t borders[] = {0, 5, 37, WORDS - 1};
    uint32_t out[WORDS];

    (void)state;
    for (size_t i = 0; i < sizeof borders / sizeof *borders; i++) {
        struct fault f = {0};

        assert_int_equal(copy_run(borders[i], out, &f), -1);
        assert_int_equal(f.kind, FAULT_ILLEGAL_ADDRESS);
        assert_int_equal(f.thread[0], borders[i]);
        assert_string_equal(f.space, "constant");
        assert_non_null(strstr(f.text, "ld.const reaches constant memory only"));
    }
}

static bool
loads(const char *variables, struct fault *f)
{
    struct machine_options o = {.threads = 1};
    struct machine *m = machine_new(&o);
    char ptx[512];
    bool ok;

    snprintf(ptx, sizeof ptx, HEAD "%s.visible .entry k()\n{\nret;\n}\n", variables);
    ok = module_load(m, ptx, strlen(ptx), f) != NULL;
    machine_free(m);
    return ok;
}

static void
test_size(void **state)
{
    struct fault f = {0};

    (void)state;
    assert_true(loads(".const .align 4 .b8 a[65536];\n", &f));
    assert_true(loads(".const .align 1 .b8 a[3];\n.const .align 4 .b8 b[65532];\n", &f));
    assert_false(loads(".const .align 1 .b8 a[5];\n.const .align 4 .b8 b[65532];\n", &f));
    assert_int_equal(f.kind, FAULT_PTX_SYNTAX);
    assert_non_null(strstr(f.text, "more than the 65536 bytes"));
    assert_false(loads(".const .align 4 .b8 a[65537];\n", &f));
    assert_false(loads(".const .align 4 .b8 a[67108864];\n", &f));
    assert_true(loads(".global .align 4 .b8 a[65537];\n", &f));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reads_constants),
        cmocka_unit_test(test_global_address),
        cmocka_unit_test(test_size),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
