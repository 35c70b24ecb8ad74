// links: exec ptx emulated
// slow: it decodes and runs each form some twenty times
/*
 * No field of an operand is ignored. The instruction of every golden form is run again
 * with one field set that the text does not have: a negation, a minus sign, a selector,
 * an offset, brackets, a second operand. Either the instruction is refused, or the result
 * is another.
 */
#include "../fixtures/emulated.h"

#include "emulator/exec/exec.h"
#include "emulator/exec/kernel.h"

#include "ptx_forms.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

enum field { NEGATED, MINUS, SELECTOR, OFFSET, ADDRESS, SECOND, FIELDS };
static const char *const field_names[] = {"negation", "minus sign", "selector",
                                          "offset",   "brackets",   "second operand"};

struct bench {
    struct machine *m;
    uint64_t in, out;
    uint64_t *host_in, *host_out, *plain;
    size_t tried, refused, ignored;
};

/* Operands that change no result: a duration, hints to caches, identities of barriers
 * that all threads share, and what a program may not look into. */
static bool
is_hint(const struct ptx_insn *in, unsigned operand)
{
    switch (in->op) {
    case PTX_OP_nanosleep:
    case PTX_OP_bar:
    case PTX_OP_barrier:
    case PTX_OP_prefetch:
    case PTX_OP_prefetchu:
    case PTX_OP_applypriority:
    case PTX_OP_createpolicy:
    case PTX_OP_pmevent:
    case PTX_OP_discard:
    case PTX_OP_isspacep: /* the next bytes lie in the same space */
    case PTX_OP_vote:     /* all threads may agree either way */
        return true;
    case PTX_OP_mbarrier:
        return operand > 0;
    default:
        return ptx_has_mod(in, PTX_MOD_l2_cache_hint) && operand + 1 == in->operand_count;
    }
}

/* Does the result of the case not depend on the operand, whatever it is? */
static bool
is_unseen(const struct form_case *c, unsigned operand)
{
    static const struct {
        const char *form;
        unsigned operand;
    } cases[] = {
        {"prmt.b32.rc8", 2},
        {"prmt.b32.ecl", 2},
        {"prmt.b32.ecr", 2},
        {"prmt.b32.rc16", 2}, /* they take bytes of a only */
        {"vmin.u32.u32.u32.max", 1},
        {"vset.u32.u32.ge.max", 1},
        {"vset.u32.u32.ge.max", 2},                 /* c is the larger one */
        {"getctarank.shared::cluster.u32", 1},      /* a block is alone */
        {"cp.async.mbarrier.arrive.shared.b64", 0}, /* it changes nothing */
        {"mov.b64", 1},                             /* the body overwrites it */
        {"atom.shared.exch.b32", 2},                /* so does this one */
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (strcmp(c->form, cases[i].form) == 0 && operand == cases[i].operand)
            return true;
    return false;
}

/* false: the operand has the field already, or the field says nothing there. */
static bool
set_field(struct ptx_operand *o, enum field field)
{
    static struct ptx_operand second = {
        .kind = PTX_OPERAND_INT, .place = 1000, .bits = 1};

    if (o->place == 0 || o->kind == PTX_OPERAND_SINK)
        return false;
    switch (field) {
    case NEGATED:
        o->negated = !o->negated;
        return true;
    case MINUS:
        o->minus = !o->minus;
        return true;
    case SELECTOR:
        if (o->selector != NULL)
            return false;
        o->selector = "b1";
        return true;
    case OFFSET: /* the parser adds it to a number */
        if (o->kind == PTX_OPERAND_INT || o->kind == PTX_OPERAND_F32 ||
            o->kind == PTX_OPERAND_F64)
            return false;
        o->offset += 13;
        return true;
    case ADDRESS:
        if (o->is_address)
            return false;
        return o->is_address = true;
    default:
        if (o->second != NULL)
            return false;
        o->second = &second;
        return true;
    }
}

/* The operand of this number, counted through lists; NULL: there are fewer. */
static struct ptx_operand *
operand_at(struct ptx_operand *o, unsigned *number)
{
    if ((*number)-- == 0)
        return o;
    for (uint32_t i = 0; o->kind == PTX_OPERAND_LIST && i < o->count; i++) {
        struct ptx_operand *found = operand_at(&o->list[i], number);

        if (found != NULL)
            return found;
    }
    return o->second != NULL ? operand_at(o->second, number) : NULL;
}

static struct ptx_insn *
insn_at(struct module *mod, int line, const char *form, unsigned number)
{
    for (struct ptx_func *f = mod->ptx->funcs; f != NULL; f = f->next)
        for (uint32_t i = 0; f->is_entry && i < f->insn_count; i++)
            if (f->insns[i].line == line && strcmp(f->insns[i].text, form) == 0 &&
                number-- == 0)
                return &f->insns[i];
    return NULL;
}

static int
line_of_body(const char *text, const char *body)
{
    int line = 1;

    for (const char *at = text; at < strstr(text, body); at++)
        line += *at == '\n';
    return line;
}

/* Runs one block of the case. 0: it ran, and host_out has what it wrote. */
static int
run_block(struct bench *b, struct module *mod, const struct form_case *c)
{
    struct launch l = {.grid = {1, 1, 1}, .block = {CASE_BLOCK, 1, 1}};
    uint64_t parameters[] = {b->out, b->in};
    struct fault fault;

    fill_operands(c, b->host_in);
    memset(b->host_out, 0, CASE_OUTPUT_BYTES);
    l.params = parameters;
    return machine_launch(b->m, module_kernel(mod, "t0"), &l, &fault);
}

/* Sets one field of one operand in an instruction of the case. false: there is no such
 * instruction or operand. */
static bool
try_field(struct bench *b, const struct form_case *c, const char *text, size_t bytes,
          unsigned insn, unsigned operand, unsigned number, enum field field)
{
    struct fault fault;
    struct module *mod = module_load(b->m, text, bytes, &fault);
    struct ptx_insn *in = insn_at(mod, line_of_body(text, c->body), c->form, insn);
    struct ptx_operand *o = NULL;

    if (in != NULL && operand < in->operand_count && number <= 4)
        o = operand_at(&in->operands[operand], &number);
    if (o != NULL && !is_hint(in, operand) && set_field(o, field)) {
        b->tried++;
        if (run_block(b, mod, c) != 0) {
            b->refused++;
        } else if (!is_unseen(c, operand) &&
                   memcmp(b->host_out, b->plain, CASE_OUTPUT_BYTES) == 0) {
            printf("%s\n  %s: the %s of operand %u is ignored\n", c->line, in->text,
                   field_names[field], operand + 1);
            b->ignored++;
        }
    }
    module_unload(b->m, mod);
    return o != NULL;
}

static void
try_case(struct bench *b, const struct form_case *c)
{
    char *text = NULL;
    size_t bytes = 0;
    struct fault fault;
    struct module *mod;
    FILE *f = open_memstream(&text, &bytes);

    assert_non_null(f);
    fprintf(f, ".version 9.0\n.target sm_90a\n.address_size 64\n%s", forms_prelude);
    write_case(f, c, 0);
    fclose(f);
    mod = module_load(b->m, text, bytes, &fault);
    assert_non_null(mod);
    assert_int_equal(run_block(b, mod, c), 0);
    memcpy(b->plain, b->host_out, CASE_OUTPUT_BYTES);
    module_unload(b->m, mod);
    for (unsigned i = 0; i < 2; i++)
        for (unsigned k = 0; k < PTX_MAX_OPERANDS; k++)
            for (unsigned n = 0; n < 3; n++)
                for (enum field field = 0; field < FIELDS; field++)
                    if (!try_field(b, c, text, bytes, i, k, n, field))
                        break;
    free(text);
}

static void
test_every_field_of_every_form(void **state)
{
    static const char *const tables[] = {"integer", "logic",  "float", "convert",
                                         "memory",  "atomic", "warp",  "program"};
    struct form_cases list = {0};
    struct bench b = {0};

    (void)state;
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        char path[80];

        snprintf(path, sizeof path, "tests/golden/ptx/forms/%s.forms", tables[i]);
        read_forms(&list, path);
    }
    b.m = machine_new(
        &(struct machine_options){.threads = 1, .instruction_budget = 300000});
    assert_non_null(b.m);
    b.host_in = emulated_buffer(b.m, CASE_INPUT_BYTES, &b.in);
    b.host_out = emulated_buffer(b.m, CASE_OUTPUT_BYTES, &b.out);
    b.plain = malloc(CASE_OUTPUT_BYTES);
    assert_non_null(b.plain);
    for (size_t i = 0; i < list.count; i++)
        try_case(&b, &list.all[i]);
    printf("%zu fields of %zu forms: %zu refused\n", b.tried, list.count, b.refused);
    assert_true(b.tried > 10 * list.count);
    assert_int_equal(b.ignored, 0);
    machine_free(b.m);
    free(b.plain);
    free(list.all);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_field_of_every_form),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
