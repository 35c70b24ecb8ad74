// links: exec ptx emulated
// slow: it decodes and runs each form some twenty times
// split: its two tests take minutes each
// turns: five minutes of CPU time each
/*
 * No field of an operand is ignored. The instruction of every golden form is run again
 * with one field set that the text does not have: a negation, a minus sign, a selector,
 * an offset, brackets, a second operand. Either the instruction is refused, or the result
 * is another. The same holds for each modifier and each type that is added to it.
 */
#include "../fixtures/emulated.h"

#include "emulator/exec/decode/emit.h"
#include "emulator/exec/exec.h"
#include "emulator/exec/kernel.h"
#include "emulator/exec/warp.h"

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

/* The module of a case, which runs first as the text has it. The caller frees it. */
static char *
run_plain(struct bench *b, const struct form_case *c, size_t *bytes)
{
    char *text = NULL;
    struct fault fault;
    struct module *mod;
    FILE *f = open_memstream(&text, bytes);

    assert_non_null(f);
    fprintf(f, ".version 9.0\n.target sm_90a\n.address_size 64\n%s", forms_prelude);
    write_case(f, c, 0);
    fclose(f);
    mod = module_load(b->m, text, *bytes, &fault);
    assert_non_null(mod);
    assert_int_equal(run_block(b, mod, c), 0);
    memcpy(b->plain, b->host_out, CASE_OUTPUT_BYTES);
    module_unload(b->m, mod);
    return text;
}

static void
try_fields(struct bench *b, const struct form_case *c)
{
    size_t bytes = 0;
    char *text = run_plain(b, c, &bytes);

    for (unsigned i = 0; i < 2; i++)
        for (unsigned k = 0; k < PTX_MAX_OPERANDS; k++)
            for (unsigned n = 0; n < 3; n++)
                for (enum field field = 0; field < FIELDS; field++)
                    if (!try_field(b, c, text, bytes, i, k, n, field))
                        break;
    free(text);
}

/* --- modifiers and types ---------------------------------------------------- */

/* What is added to an instruction, by number: the modifiers, then the types. */
enum { ADDED = PTX_MOD_COUNT + PTX_TYPE_COUNT };

/* false: the instruction has it already, or has no place for it. */
static bool
add_word(struct ptx_insn *in, unsigned word)
{
    if (word < PTX_MOD_COUNT) {
        if (word == PTX_MOD_UNKNOWN || in->mod_count == PTX_MAX_MODS ||
            ptx_has_mod(in, (enum ptx_mod)word))
            return false;
        in->mods[in->mod_count++] = (uint16_t)word;
        return true;
    }
    word -= PTX_MOD_COUNT;
    if (word == PTX_TYPE_NONE || in->type_count == PTX_MAX_TYPES)
        return false;
    in->types[in->type_count++] = (uint8_t)word;
    return true;
}

static const char *
word_text(unsigned word)
{
    return word < PTX_MOD_COUNT ? ptx_mod_name((enum ptx_mod)word)
                                : ptx_type_name((enum ptx_type)(word - PTX_MOD_COUNT));
}

static bool
transfers_control(enum ptx_op op)
{
    return op == PTX_OP_bra || op == PTX_OP_brx || op == PTX_OP_call ||
           op == PTX_OP_ret || op == PTX_OP_exit;
}

/* Decodes the instruction with each word that can be added, all of them behind the
 * kernel's last instruction, and says which are not refused at once. */
static void
find_accepted(struct module *mod, const struct ptx_insn *like, bool *accepted)
{
    struct kernel *k = module_kernel(mod, "t0");
    struct ptx_func *f = (struct ptx_func *)(uintptr_t)k->func;
    struct ptx_insn *whole = f->insns;
    struct ptx_insn *insns = calloc(f->insn_count + ADDED, sizeof *insns);
    uint32_t last = f->insn_count - 1; /* ret */
    struct fault fault;

    assert_non_null(insns);
    assert_int_equal(whole[last].op, PTX_OP_ret);
    memcpy(insns, whole, last * sizeof *insns);
    for (unsigned i = 0; i < ADDED; i++) {
        insns[last + i] = *like;
        accepted[i] = add_word(&insns[last + i], i);
    }
    insns[last + ADDED] = whole[last];
    f->insns = insns;
    f->insn_count += ADDED;
    assert_int_equal(kernel_decode(k, &fault), 0);
    for (uint32_t i = 0; i < k->programs->insn_count; i++)
        if (k->programs->insns[i].fn == op_unsupported)
            accepted[k->programs->origin[i] - insns - last] = false;
    f->insns = whole;
    f->insn_count -= ADDED;
    free(insns);
}

/* Words that are as good as none: what the instruction does anyway, or would do with
 * other operands than the case has. Each of them is legal PTX, which ptxas takes. */
static bool
is_word_default(const struct ptx_insn *in, unsigned word)
{
    static const struct {
        enum ptx_op op;
        enum ptx_mod mod;
    } words[] = {
        /* The default: to the nearest, where the buffers are, what a barrier orders. */
        {PTX_OP_add, PTX_MOD_rn},
        {PTX_OP_sub, PTX_MOD_rn},
        {PTX_OP_mul, PTX_MOD_rn},
        {PTX_OP_ld, PTX_MOD_global},
        {PTX_OP_st, PTX_MOD_global},
        {PTX_OP_atom, PTX_MOD_global},
        {PTX_OP_red, PTX_MOD_global},
        {PTX_OP_cvta, PTX_MOD_to}, /* of global memory */
        {PTX_OP_cp, PTX_MOD_cg},
        {PTX_OP_cp, PTX_MOD_bulk}, /* no such group is open */
        {PTX_OP_cp, PTX_MOD_noinc},
        {PTX_OP_cp, PTX_MOD_l2_cache_hint}, /* it has the operand for it */
        {PTX_OP_barrier, PTX_MOD_release},
        {PTX_OP_barrier, PTX_MOD_relaxed},
        /* A carry that nobody adds. */
        {PTX_OP_add, PTX_MOD_cc},
        {PTX_OP_addc, PTX_MOD_cc},
        {PTX_OP_sub, PTX_MOD_cc},
        {PTX_OP_subc, PTX_MOD_cc},
        {PTX_OP_mad, PTX_MOD_cc},
        {PTX_OP_madc, PTX_MOD_cc},
        /* Bounds that no result of the case exceeds, and subnormals that it lacks. */
        {PTX_OP_cvt, PTX_MOD_sat},
        {PTX_OP_cvt, PTX_MOD_ftz},
        {PTX_OP_fma, PTX_MOD_oob},
        {PTX_OP_fma, PTX_MOD_ftz},
        {PTX_OP_fma, PTX_MOD_relu},
        {PTX_OP_fma, PTX_MOD_sat},
        {PTX_OP_add, PTX_MOD_ftz},
        {PTX_OP_set, PTX_MOD_ftz},
        {PTX_OP_setp, PTX_MOD_ftz},
        {PTX_OP_ex2, PTX_MOD_ftz},
        {PTX_OP_cos, PTX_MOD_ftz},
        {PTX_OP_vadd, PTX_MOD_sat},
        {PTX_OP_vsub, PTX_MOD_sat},
        {PTX_OP_vshr, PTX_MOD_sat},
        {PTX_OP_vmin, PTX_MOD_sat},
        {PTX_OP_vmax, PTX_MOD_sat},
        {PTX_OP_vmin2, PTX_MOD_sat},
        {PTX_OP_vmax2, PTX_MOD_sat},
        {PTX_OP_vmin4, PTX_MOD_sat},
        {PTX_OP_vmax4, PTX_MOD_sat},
        {PTX_OP_vavrg2, PTX_MOD_sat},
        {PTX_OP_vavrg4, PTX_MOD_sat},
        {PTX_OP_vabsdiff, PTX_MOD_sat},
        {PTX_OP_vabsdiff2, PTX_MOD_sat},
        {PTX_OP_vabsdiff4, PTX_MOD_sat},
    };

    if (word >= PTX_MOD_COUNT)
        return false;
    if (in->op == PTX_OP_cvt && in->types[1] == PTX_bf16 &&
        (in->types[0] == PTX_f32 || in->types[0] == PTX_f64) &&
        (word == PTX_MOD_rn || word == PTX_MOD_rz || word == PTX_MOD_rm ||
         word == PTX_MOD_rp)) /* it is exact, and ptxas takes them */
        return true;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (words[i].op == in->op && words[i].mod == (enum ptx_mod)word)
            return true;
    return mod_is_ignored(in->op, (enum ptx_mod)word);
}

/* Runs the case with one word more. */
static void
try_word(struct bench *b, const struct form_case *c, const char *text, size_t bytes,
         unsigned number, unsigned word)
{
    struct fault fault;
    struct module *mod = module_load(b->m, text, bytes, &fault);
    struct ptx_insn *in = insn_at(mod, line_of_body(text, c->body), c->form, number);

    if (add_word(in, word)) {
        if (run_block(b, mod, c) != 0) {
            b->refused++;
        } else if (memcmp(b->host_out, b->plain, CASE_OUTPUT_BYTES) == 0) {
            printf("%s\n  %s: .%s is ignored\n", c->line, in->text, word_text(word));
            b->ignored++;
        }
    }
    module_unload(b->m, mod);
}

static void
try_words(struct bench *b, const struct form_case *c)
{
    size_t bytes = 0;
    char *text = run_plain(b, c, &bytes);

    for (unsigned number = 0; number < 2; number++) {
        bool accepted[ADDED];
        struct fault fault;
        struct module *mod = module_load(b->m, text, bytes, &fault);
        const struct ptx_insn *in =
            insn_at(mod, line_of_body(text, c->body), c->form, number);
        bool found = in != NULL;

        memset(accepted, 1, sizeof accepted);
        if (found && !transfers_control(in->op))
            find_accepted(mod, in, accepted);
        for (unsigned i = 0; found && i < ADDED; i++) {
            b->tried++;
            if (!accepted[i])
                b->refused++;
            else if (!is_word_default(in, i))
                try_word(b, c, text, bytes, number, i);
        }
        module_unload(b->m, mod);
    }
    free(text);
}

/* --- the tests -------------------------------------------------------------- */

/* Does this with each golden form. */
static void
with_every_form(void (*try_case)(struct bench *, const struct form_case *), size_t least)
{
    static const char *const tables[] = {"integer", "logic",  "float", "convert",
                                         "memory",  "atomic", "warp",  "program"};
    struct form_cases list = {0};
    struct bench b = {0};

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
    printf("%zu changes of %zu forms: %zu refused\n", b.tried, list.count, b.refused);
    assert_true(b.tried > least * list.count);
    assert_int_equal(b.ignored, 0);
    machine_free(b.m);
    free(b.plain);
    free(list.all);
}

static void
test_every_field_of_every_form(void **state)
{
    (void)state;
    with_every_form(try_fields, 10);
}

static void
test_every_modifier_and_type(void **state)
{
    (void)state;
    with_every_form(try_words, 200);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_field_of_every_form),
        cmocka_unit_test(test_every_modifier_and_type),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
