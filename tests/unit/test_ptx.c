// links: ptx
/* The PTX front end: what it understands and what it says of what isn't PTX. */
#include "emulator/ptx/ptx.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define HEADER ".version 9.0\n.target sm_80\n.address_size 64\n"

static struct ptx_module *
parse(const char *text)
{
    struct ptx_error error;
    struct ptx_module *m = ptx_parse(text, strlen(text), &error);

    if (m == NULL)
        fail_msg("line %d: %s", error.line, error.text);
    return m;
}

static void
test_function(void **state)
{
    struct ptx_module *m =
        parse(HEADER ".visible .entry k(.param .u64 p, .param .f32 q)\n"
                     ".maxntid 128, 2, 1\n"
                     "{\n"
                     "  .reg .pred %p<2>;\n"
                     "  .reg .b32 %r<12>;\n"
                     "  .loc 1 7 3\n"
                     "  @!%p1 bra $L;\n"
                     "  ld.global.nc.L1::no_allocate.L2::128B.v2.u32 "
                     "{%r10, %r11}, [%r3+-8];\n"
                     "$L:\n"
                     "  setp.lt.and.s32 %p0|%p1, %r1, 0x10, !%p0;\n"
                     "  ret;\n"
                     "}\n"
                     ".file 1 \"dir/vec.cu\"\n");
    const struct ptx_func *f = m->funcs;
    const struct ptx_insn *in = f->insns;

    (void)state;
    assert_int_equal(m->version_major, 9);
    assert_int_equal(m->target_sm, 80);
    assert_string_equal(m->files[1], "dir/vec.cu");
    assert_true(f->is_entry);
    assert_int_equal(f->max_threads, 256);
    assert_int_equal(f->insn_count, 4);
    assert_int_equal(f->reg_count, 14);
    assert_true(in[0].guarded && in[0].guard_negated);
    assert_int_equal(in[0].guard, 1);
    assert_int_equal(in[0].operands[0].label, 2);
    assert_int_equal(in[0].loc->line, 7);
    assert_int_equal(in[1].op, PTX_OP_ld);
    assert_int_equal(in[1].types[0], PTX_u32);
    assert_true(ptx_has_mod(&in[1], PTX_MOD_l1_no_allocate));
    assert_int_equal(in[1].operands[0].kind, PTX_OPERAND_LIST);
    assert_int_equal(in[1].operands[0].list[1].reg, 2 + 11);
    assert_int_equal(in[1].operands[1].offset, -8);
    assert_non_null(in[2].operands[0].second);
    assert_true(in[2].operands[3].negated);
    assert_int_equal(in[2].operands[2].bits, 16);
    ptx_free(m);
}

static void
test_variables(void **state)
{
    struct ptx_module *m =
        parse(HEADER ".global .align 4 .u32 a = 7;\n"
                     ".const .align 8 .u64 b[2] = {generic(a)+4, 0xFF00(a)};\n"
                     ".global .b8 c[2][3] = {{1, 2}, {3, 4, 5}};\n"
                     ".global .f32 d[2] = {0f3F800000, -1.5};\n"
                     ".extern .shared .align 16 .b8 s[];\n");
    const struct ptx_var *a = m->vars, *b = a->next, *c = b->next, *d = c->next;

    (void)state;
    assert_int_equal(a->init->bits, 7);
    assert_int_equal(b->bytes, 16);
    assert_string_equal(b->init->symbol, "a");
    assert_int_equal(b->init->bits, 4);
    assert_int_equal(b->init->next->mask, 0xff00);
    assert_int_equal(c->init->next->next->offset, 2); /* as ptxas has it */
    assert_int_equal(c->init->next->next->bits, 3);
    assert_int_equal(d->init->bits, 0x3f800000);
    assert_int_equal(d->init->next->bits, 0xbfc00000);
    assert_true(d->next->is_extern);
    assert_int_equal(d->next->bytes, 0);
    ptx_free(m);
}

/* asm() blocks repeat labels and registers in braces of their own. */
static void
test_scopes(void **state)
{
    struct ptx_module *m = parse(HEADER ".func f()\n{\n"
                                        "{ .reg .pred p; W: @p bra D; bra W; D: }\n"
                                        "{ .reg .pred p; W: @p bra D; bra W; D: }\n"
                                        "ret;\n}\n");
    const struct ptx_insn *in = m->funcs->insns;

    (void)state;
    assert_int_equal(in[0].operands[0].label, 2);
    assert_int_equal(in[1].operands[0].label, 0);
    assert_int_equal(in[2].operands[0].label, 4);
    assert_int_equal(in[3].operands[0].label, 2);
    assert_int_not_equal(in[0].guard, in[2].guard);
    ptx_free(m);
}

/* An unknown instruction is still an instruction. */
static void
test_unknown(void **state)
{
    struct ptx_module *m =
        parse(HEADER ".func f()\n{\nfrobnicate.global.q7 %laneid, {1, 2}, [8];\n}\n");

    (void)state;
    assert_int_equal(m->funcs->insns[0].op, PTX_OP_UNKNOWN);
    assert_string_equal(m->funcs->insns[0].text, "frobnicate.global.q7");
    ptx_free(m);
}

static void
test_errors(void **state)
{
    static const struct {
        const char *text;
        int line;
        const char *message;
    } cases[] = {
        {"", 1, "PTX starts with .version; this text does not"},
        {"\x7f"
         "ELF\x02",
         1, "PTX starts with .version; this text does not"},
        {".version 9.0\n.address_size 32\n", 3, "only 64-bit addresses are supported"},
        {HEADER "/* never closed\n", 4, "a comment is not closed"},
        {HEADER ".func f()\n{\n bra L;\n}\n", 6, "label 'L' is not defined"},
        {HEADER ".func f()\n{\n ret\n}\n", 7, "expected an operand, found '}'"},
        {HEADER ".func f()\n{\n ret;\n", 7, "the text ends within function 'f'"},
        {HEADER ".func f()\n{\n .reg .b32 %a, %a;\n}\n", 6, "'%a' is declared twice"},
        {HEADER ".func f()\n{\n .reg .b32 %r<99999999>;\n}\n", 6, "too many registers"},
        {HEADER ".global .u32 x[2] = {1, 2, 3};\n", 4,
         "more values than 'x' has elements"},
        {HEADER ".global .b8 x[99999999999999];\n", 4, "'x' is too large"},
        {HEADER ".global .align 3 .b8 x;\n", 4, "an alignment must be a power of two"},
        {HEADER ".bogus\n", 4, "'bogus' does not start anything that a module may hold"},
        {HEADER ".func f()\n{\n @7 ret;\n}\n", 6,
         "expected a predicate register after '@'"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ptx_error error;

        assert_null(ptx_parse(cases[i].text, strlen(cases[i].text), &error));
        assert_string_equal(error.text, cases[i].message);
        assert_int_equal(error.line, cases[i].line);
    }
}

/* Every prefix of real PTX parses or fails; none crashes (the sanitizers watch). */
static void
test_prefixes(void **state)
{
    FILE *f = fopen("tests/golden/ptx/kernels.ptx", "r");
    static char text[200000];
    size_t len;

    (void)state;
    assert_non_null(f);
    len = fread(text, 1, sizeof text, f);
    fclose(f);
    for (size_t n = 0; n <= len; n += n < 4000 ? 37 : 1999) {
        char *exact = malloc(n + 1);
        struct ptx_error error;

        assert_non_null(exact);
        memcpy(exact, text, n);
        ptx_free(ptx_parse(exact, n, &error));
        free(exact);
    }
}

/* Nothing that nvcc emits for our kernels is unknown to the tables of names. */
static void
test_names(void **state)
{
    FILE *f = fopen("tests/golden/ptx/kernels.ptx", "r");
    static char text[200000];
    struct ptx_error error;
    struct ptx_module *m;
    size_t len;

    (void)state;
    assert_non_null(f);
    len = fread(text, 1, sizeof text, f);
    fclose(f);
    m = ptx_parse(text, len, &error);
    assert_non_null(m);
    for (const struct ptx_func *fn = m->funcs; fn != NULL; fn = fn->next)
        for (uint32_t i = 0; i < fn->insn_count; i++) {
            const struct ptx_insn *in = &fn->insns[i];

            if (in->op == PTX_OP_UNKNOWN || in->too_long)
                fail_msg("%s", in->text);
            for (unsigned k = 0; k < in->mod_count; k++)
                if (in->mods[k] == PTX_MOD_UNKNOWN)
                    fail_msg("%s", in->text);
        }
    ptx_free(m);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_function), cmocka_unit_test(test_variables),
        cmocka_unit_test(test_scopes),   cmocka_unit_test(test_unknown),
        cmocka_unit_test(test_errors),   cmocka_unit_test(test_prefixes),
        cmocka_unit_test(test_names),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
