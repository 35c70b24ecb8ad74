// links: exec ptx emulated
/*
 * The emulator against an H200, form by form: tests/golden/ptx/forms holds a line for
 * each form of an instruction (ptx_forms.h says how they are written) and what the H200
 * gave for 1024 threads of special and random operands (NAME.h200, recorded by
 * tests/tools/record-forms.c). Everything that the PTX ISA defines exactly must be equal
 * to the bit, NaNs included.
 *
 * forms.txt lists the forms that nvcc emits for real programs: each must be in one of the
 * tables, or in elsewhere.txt beside the test that covers it. A test of instructions that
 * do not fit a table (matrices, textures, clusters) adds its forms there.
 */
#include "../fixtures/emulated.h"

#include "emulator/exec/exec.h"

#include "ptx_forms.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#define FORMS "tests/golden/ptx/forms/"

static const char *const tables[] = {"integer", "logic",  "float", "convert",
                                     "memory",  "atomic", "warp",  "program"};
enum { TABLES = sizeof tables / sizeof *tables, SHOWN = 32 };

struct recorded {
    uint64_t hash, values[2 * CASES];
    size_t count;
};

/* --- what the GPU gave --------------------------------------------------- */

struct recording {
    char *text;
    size_t bytes;
};

static struct recording
read_recording(const char *table)
{
    char path[80];
    struct recording r = {0};
    FILE *f;

    snprintf(path, sizeof path, FORMS "%s.h200", table);
    f = fopen(path, "r");
    assert_non_null(f);
    assert_int_equal(getdelim(&r.text, &r.bytes, '\0', f) > 0, 1);
    fclose(f);
    return r;
}

/* The line of a case; false: the form was never recorded. */
static bool
find_recorded(const struct recording *r, const struct form_case *c, struct recorded *out)
{
    char key[24];
    char *at;

    snprintf(key, sizeof key, "%016llx ",
             (unsigned long long)forms_hash(c->line, strlen(c->line)));
    for (at = strstr(r->text, key); at != NULL; at = strstr(at + 1, key))
        if (at == r->text || at[-1] == '\n')
            break;
    if (at == NULL)
        return false;
    out->hash = strtoull(at + 17, &at, 16);
    for (out->count = 0; *at == ' ' && out->count < 2 * CASES; out->count++)
        out->values[out->count] = strtoull(at, &at, 16);
    return true;
}

/* --- approximate functions ----------------------------------------------- */

static double
as_double(uint64_t bits, char kind)
{
    uint32_t word = (uint32_t)bits;
    float f;
    double d;

    if (kind == 'd') {
        memcpy(&d, &bits, sizeof d);
        return d;
    }
    memcpy(&f, &word, sizeof f);
    return (double)f;
}

/* Units of the last place between two numbers that lie in order as integers. */
static double
places(uint64_t a, uint64_t b, unsigned bits)
{
    int64_t top = (int64_t)1 << (bits - 1), x = (int64_t)a, y = (int64_t)b;

    x = x >= top ? top - x : x;
    y = y >= top ? top - y : y;
    return fabs((double)(x - y));
}

static bool
near_enough(const struct form_case *c, uint64_t got, uint64_t want)
{
    double a, b;

    if (got == want)
        return true;
    if (c->tolerance == 'h' || c->tolerance == 'b') {
        uint64_t nan = c->tolerance == 'h' ? 0x7c00 : 0x7f80;

        for (unsigned i = 0; i < 32; i += 16) {
            uint64_t x = got >> i & 0xffff, y = want >> i & 0xffff;

            if (x != y &&
                ((x & nan) == nan || (y & nan) == nan || places(x, y, 16) > c->bound))
                return false;
        }
        return true;
    }
    a = as_double(got, c->tolerance);
    b = as_double(want, c->tolerance);
    if (isnan(a) || isnan(b) || isinf(a) || isinf(b))
        return false;
    switch (c->tolerance) {
    case 'u':
        return places(got, want, 32) <= c->bound;
    case 'l':
        return fabs(a - b) <= c->bound || places(got, want, 32) <= 1;
    case 'a':
        return fabs(a - b) <= c->bound;
    case 'd':
        return fabs(a - b) <= c->bound * fabs(b);
    default:
        return false;
    }
}

/* --- running a table ----------------------------------------------------- */

struct bench {
    struct machine *m;
    struct module *mod;
    uint64_t in, out;
    uint64_t *host_in, *host_out;
    struct fault fault;
};

static void
start_bench(struct bench *b, const struct form_cases *list)
{
    struct machine_options o = {
        .threads = 1, .checks = true, .instruction_budget = 3000000};
    char *text = NULL;
    size_t bytes = 0;
    FILE *f = open_memstream(&text, &bytes);

    assert_non_null(f);
    fprintf(f, ".version 9.0\n.target sm_90a\n.address_size 64\n%s", forms_prelude);
    for (size_t i = 0; i < list->count; i++)
        write_case(f, &list->all[i], i);
    fclose(f);
    *b = (struct bench){.m = machine_new(&o)};
    assert_non_null(b->m);
    b->mod = module_load(b->m, text, bytes, &b->fault);
    if (b->mod == NULL)
        fail_msg("%s", b->fault.text);
    free(text);
    b->host_in = emulated_buffer(b->m, CASE_INPUT_BYTES, &b->in);
    b->host_out = emulated_buffer(b->m, CASE_OUTPUT_BYTES, &b->out);
}

/* 0: launched; else the fault says why not. */
static int
run_case(struct bench *b, const struct form_case *c, size_t number)
{
    struct launch l = {.grid = {CASES / CASE_BLOCK, 1, 1}, .block = {CASE_BLOCK, 1, 1}};
    uint64_t parameters[] = {b->out, b->in};
    char name[24];
    struct kernel *k;

    fill_operands(c, b->host_in);
    memset(b->host_out, 0, CASE_OUTPUT_BYTES);
    snprintf(name, sizeof name, "t%zu", number);
    k = module_kernel(b->mod, name);
    assert_non_null(k);
    l.params = parameters;
    return machine_launch(b->m, k, &l, &b->fault);
}

static void
print_difference(const struct form_case *c, const struct bench *b, size_t t, uint64_t got,
                 uint64_t want)
{
    printf("%s\n  thread %zu, operands", c->line, t % CASES);
    for (size_t k = 0; c->operands[k] != '\0'; k++)
        printf(" %#llx", (unsigned long long)b->host_in[k * CASES + t % CASES]);
    printf(": result %zu is %#llx, an H200 gave %#llx\n", t / CASES,
           (unsigned long long)got, (unsigned long long)want);
}

/* Compares what was recorded in full, and the hash of all. */
static bool
compare_case(const struct form_case *c, const struct bench *b, const struct recorded *r)
{
    size_t sets = strlen(c->results), shown = r->count / sets;
    uint64_t hash = forms_hash(b->host_out, sets * CASES * 8);

    assert_int_equal(shown, c->tolerance != 0 ? CASES : SHOWN);
    if (hash == r->hash)
        return true;
    for (size_t i = 0; i < r->count; i++) {
        size_t t = i / shown * CASES + i % shown;

        if (c->tolerance == 0 ? b->host_out[t] != r->values[i]
                              : !near_enough(c, b->host_out[t], r->values[i])) {
            print_difference(c, b, t, b->host_out[t], r->values[i]);
            return false;
        }
    }
    if (c->tolerance == 0)
        printf("%s\n  differs from an H200 in a thread after the first %zu\n", c->line,
               shown);
    return c->tolerance != 0;
}

static void
test_table(void **state)
{
    const char *table = *state;
    struct form_cases list = {0};
    struct recording recording = read_recording(table);
    struct recorded *r = calloc(1, sizeof *r);
    char path[80];
    struct bench b;
    size_t wrong = 0;

    assert_non_null(r);
    snprintf(path, sizeof path, FORMS "%s.forms", table);
    read_forms(&list, path);
    start_bench(&b, &list);
    for (size_t i = 0; i < list.count; i++) {
        const struct form_case *c = &list.all[i];

        if (run_case(&b, c, i) != 0) {
            printf("%s\n  %s\n", c->line, b.fault.text);
            wrong++;
        } else if (!find_recorded(&recording, c, r)) {
            printf("%s\n  was never recorded\n", c->line);
            wrong++;
        } else {
            wrong += !compare_case(c, &b, r);
        }
    }
    machine_free(b.m);
    free(recording.text);
    free(r);
    if (wrong != 0)
        fail_msg("%s: %zu of %zu forms are wrong", table, wrong, list.count);
    printf("%s: %zu cases\n", table, list.count);
    free(list.all);
}

/* --- coverage ------------------------------------------------------------ */

static bool
has_case(const struct form_cases *list, const char *form)
{
    for (size_t i = 0; i < list->count; i++)
        if (strcmp(list->all[i].form, form) == 0)
            return true;
    return false;
}

/* Is there a test at this path, and if it is in C, does it name the opcode of the form?
 * What nvcc makes of a test in CUDA cannot be seen in its text. */
static bool
test_names_opcode(const char *path, const char *form)
{
    FILE *f = fopen(path, "r");
    char line[1000], opcode[40];
    bool found = f != NULL && strstr(path, ".cu") != NULL;

    snprintf(opcode, sizeof opcode, "%.*s", (int)strcspn(form, "."), form);
    while (f != NULL && !found && fgets(line, sizeof line, f) != NULL)
        found = strstr(line, opcode) != NULL;
    if (f != NULL)
        fclose(f);
    return found;
}

/* Does a line "FORM TEST" of elsewhere.txt say that a test covers the form, or with
 * `prefix` one that begins so? */
static bool
covered_elsewhere(const char *form, bool prefix)
{
    char line[300], name[200], test[100];
    FILE *f = fopen(FORMS "elsewhere.txt", "r");
    bool found = false;

    assert_non_null(f);
    while (!found && fgets(line, sizeof line, f) != NULL)
        if (line[0] != '#' && sscanf(line, "%199s %99s", name, test) == 2 &&
            (prefix ? strncmp(name, form, strlen(form)) : strcmp(name, form)) == 0)
            found = test_names_opcode(test, form);
    fclose(f);
    return found;
}

static void
read_all_tables(struct form_cases *list)
{
    for (size_t i = 0; i < TABLES; i++) {
        char path[80];

        snprintf(path, sizeof path, FORMS "%s.forms", tables[i]);
        read_forms(list, path);
    }
}

static void
test_coverage(void **state)
{
    struct form_cases list = {0};
    char line[200];
    size_t missing = 0, total = 0;
    FILE *f = fopen(FORMS "forms.txt", "r");

    (void)state;
    assert_non_null(f);
    read_all_tables(&list);
    while (fgets(line, sizeof line, f) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        if (line[0] == '#' || line[0] == '\0')
            continue;
        total++;
        if (!has_case(&list, line) && !covered_elsewhere(line, false)) {
            printf("no case covers %s\n", line);
            missing++;
        }
    }
    fclose(f);
    free(list.all);
    if (missing != 0)
        fail_msg("%zu of %zu forms have no case", missing, total);
}

/* Does a case have an instruction with this opcode? Bodies have the other instructions of
 * a form that makes no sense alone: stacksave has alloca and stackrestore. */
static bool
opcode_has_case(const struct form_cases *list, const char *opcode)
{
    size_t n = strlen(opcode);

    for (size_t i = 0; i < list->count; i++) {
        const char *body = list->all[i].body;

        for (const char *at = strstr(body, opcode); at != NULL;
             at = strstr(at + 1, opcode))
            if ((at == body || strchr(" ;{", at[-1]) != NULL) &&
                strchr(". ;", at[n]) != NULL)
                return true;
    }
    return false;
}

/* Each opcode that a family takes has a form in a table, or in elsewhere.txt. `unknown`
 * owns those of which this build knows no form. */
static void
test_each_opcode_has_a_form(void **state)
{
    static const struct {
        const char *name, *family;
    } opcodes[] = {
#define X(name, family, ...) {#name, #family},
#include "emulator/ptx/opcodes.def"
#undef X
    };
    struct form_cases list = {0};
    size_t missing = 0;

    (void)state;
    read_all_tables(&list);
    for (size_t i = 0; i < sizeof opcodes / sizeof *opcodes; i++) {
        char form[40];

        snprintf(form, sizeof form, "%s.", opcodes[i].name);
        if (strcmp(opcodes[i].family, "unknown") == 0 ||
            opcode_has_case(&list, opcodes[i].name) || covered_elsewhere(form, true))
            continue;
        printf("no form of %s is in " FORMS "\n", opcodes[i].name);
        missing++;
    }
    free(list.all);
    if (missing != 0)
        fail_msg("%zu opcodes have no form", missing);
}

int
main(void)
{
    enum { OWN = 2 };
    struct CMUnitTest tests[TABLES + OWN] = {
        cmocka_unit_test(test_coverage),
        cmocka_unit_test(test_each_opcode_has_a_form),
    };

    for (size_t i = 0; i < TABLES; i++)
        tests[i + OWN] =
            (struct CMUnitTest){.name = tables[i],
                                .test_func = test_table,
                                .initial_state = (void *)(uintptr_t)tables[i]};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
