// links: exec ptx emulated
/*
 * The carry of .cc between instructions of different families (PTX ISA 9.7.2), against
 * what an H200 gave: tests/golden/ptx/carry-h200.txt. Each pair of operands has a row
 * there, and each pair of instructions a column.
 */
#include "../fixtures/emulated.h"

#include "emulator/exec/exec.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { ROWS = 64, COLUMNS = 8 };

/* From %a and %b to %d, and then with the carry to %e. # stands for the type. */
static const char *const pairs[] = {
    "sub.cc.# %d, %a, %b; addc.# %e, 0, 0;",
    "sub.cc.# %d, %a, %b; subc.# %e, 0, 0;",
    "add.cc.# %d, %a, %b; addc.# %e, 0, 0;",
    "add.cc.# %d, %a, %b; subc.# %e, 0, 0;",
    "mad.lo.cc.# %d, %a, %b, 1; addc.# %e, 0, 0;",
    "mad.lo.cc.# %d, %a, %b, 1; subc.# %e, 0, 0;",
    "mad.hi.cc.# %d, %a, %b, 1; addc.# %e, 0, 0;",
    "mad.hi.cc.# %d, %a, %b, 1; subc.# %e, 0, 0;",
};
static const char *const chains[] = {
    "sub.cc.# %d, %a, %b; subc.cc.# %d, %a, %b; addc.# %e, 0, 0;",
    "sub.cc.# %d, %a, %b; addc.cc.# %d, %a, %b; subc.# %e, 0, 0;",
    "add.cc.# %d, %a, %b; subc.cc.# %d, %a, %b; addc.# %e, 0, 0;",
};

struct table {
    uint64_t a[ROWS], b[ROWS], results[ROWS][COLUMNS][2];
    size_t rows;
};

/* Reads the rows behind the line that is `title`. */
static void
read_table(struct table *t, const char *title, size_t columns)
{
    FILE *f = fopen("tests/golden/ptx/carry-h200.txt", "r");
    char line[1000];
    bool inside = false;

    assert_non_null(f);
    t->rows = 0;
    while (fgets(line, sizeof line, f) != NULL) {
        char *at = line;

        line[strcspn(line, "\n")] = '\0';
        if (strspn(line, "0123456789abcdef") < 8) {
            inside = strcmp(line, title) == 0 || (inside && line[0] == 'a');
            continue;
        }
        if (!inside)
            continue;
        assert_true(t->rows < ROWS);
        t->a[t->rows] = strtoull(at, &at, 16);
        t->b[t->rows] = strtoull(at, &at, 16);
        for (size_t i = 0; i < 2 * columns; i++)
            t->results[t->rows][i / 2][i % 2] = strtoull(at + strspn(at, " |"), &at, 16);
        assert_int_equal(*at, '\0');
        t->rows++;
    }
    fclose(f);
    assert_true(t->rows >= 38);
}

/* Writes a kernel that gives both results of the row of each thread. */
static int
write_kernel(char *text, size_t size, const char *pair, const char *type)
{
    char body[200];
    size_t used = 0;

    for (const char *at = pair; *at != '\0' && used + 4 < sizeof body; at++)
        if (*at == '#')
            used += (size_t)snprintf(body + used, sizeof body - used, "%s", type);
        else
            body[used++] = *at;
    body[used] = '\0';
    return snprintf(
        text, size,
        ".version 9.0\n.target sm_90\n.address_size 64\n"
        ".visible .entry k(.param .u64 pi, .param .u64 po)\n{\n"
        ".reg .b%s %%a, %%b, %%d, %%e;\n.reg .b64 %%i, %%o;\n.reg .b32 %%t;\n"
        "ld.param.u64 %%i, [pi];\nld.param.u64 %%o, [po];\nmov.u32 %%t, %%tid.x;\n"
        "mad.wide.u32 %%i, %%t, 16, %%i;\nmad.wide.u32 %%o, %%t, 16, %%o;\n"
        "ld.global.%s %%a, [%%i];\nld.global.%s %%b, [%%i+8];\n%s\n"
        "st.global.%s [%%o], %%d;\nst.global.%s [%%o+8], %%e;\nret;\n}\n",
        type + 1, type, type, body, type, type);
}

static void
compare_column(const struct table *t, size_t column, const char *pair, const char *type)
{
    struct machine *m = machine_new(&(struct machine_options){.threads = 1});
    struct fault fault;
    uint64_t params[2], *in, *out;
    struct launch l = {
        .grid = {1, 1, 1}, .block = {(uint32_t)t->rows, 1, 1}, .params = params};
    char text[2000];
    struct module *mod;
    int n = write_kernel(text, sizeof text, pair, type);

    assert_non_null(m);
    in = emulated_buffer(m, 16 * t->rows, &params[0]);
    out = emulated_buffer(m, 16 * t->rows, &params[1]);
    memset(out, 0, 16 * t->rows);
    for (size_t i = 0; i < t->rows; i++) {
        in[2 * i] = t->a[i];
        in[2 * i + 1] = t->b[i];
    }
    mod = module_load(m, text, (size_t)n, &fault);
    if (mod == NULL || machine_launch(m, module_kernel(mod, "k"), &l, &fault) != 0)
        fail_msg("%s\n%s", text, fault.text);
    for (size_t i = 0; i < t->rows; i++)
        for (size_t k = 0; k < 2; k++)
            if (out[2 * i + k] != t->results[i][column][k])
                fail_msg("%s of %#llx and %#llx: result %zu is %#llx, an H200 gave %#llx",
                         pair, (unsigned long long)t->a[i], (unsigned long long)t->b[i],
                         k, (unsigned long long)out[2 * i + k],
                         (unsigned long long)t->results[i][column][k]);
    machine_free(m);
}

static void
test_carry_between_families(void **state)
{
    static const char *const types[] = {"u32", "u64"};
    struct table t;

    (void)state;
    for (size_t k = 0; k < 2; k++) {
        read_table(&t, types[k], COLUMNS);
        for (size_t i = 0; i < COLUMNS; i++)
            compare_column(&t, i, pairs[i], types[k]);
    }
}

static void
test_carry_through_chains(void **state)
{
    struct table t;

    (void)state;
    read_table(&t, "chains", sizeof chains / sizeof *chains);
    for (size_t i = 0; i < sizeof chains / sizeof *chains; i++)
        compare_column(&t, i, chains[i], "u32");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_carry_between_families),
        cmocka_unit_test(test_carry_through_chains),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
