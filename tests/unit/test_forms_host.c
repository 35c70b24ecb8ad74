// links: exec ptx emulated
/*
 * Forms of PTX that an H200 does not have or its assembler does not take together with
 * the others (see test_forms.c): pairs of single precision and mixed precision, against
 * the host's arithmetic under the same rounding mode; functions with several results.
 */
#include "../fixtures/emulated.h"

#include "emulator/exec/exec.h"
#include "emulator/exec/ops/half.h"

#include "ptx_forms.h"

#include <fenv.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

struct bench {
    struct machine *m;
    uint64_t in, out;
    uint64_t *host_in, *host_out;
};

/* Runs one case; what it gave is in host_out. */
static void
run(struct bench *b, const struct form_case *c, const char *functions)
{
    struct machine_options o = {.threads = 1, .checks = true};
    struct launch l = {.grid = {CASES / CASE_BLOCK, 1, 1}, .block = {CASE_BLOCK, 1, 1}};
    struct fault fault;
    struct module *mod;
    uint64_t parameters[2];
    char *text = NULL;
    size_t bytes = 0;
    FILE *f = open_memstream(&text, &bytes);

    assert_non_null(f);
    fprintf(f, ".version 9.0\n.target sm_100a\n.address_size 64\n%s", functions);
    write_case(f, c, 0);
    fclose(f);
    *b = (struct bench){.m = machine_new(&o)};
    assert_non_null(b->m);
    mod = module_load(b->m, text, bytes, &fault);
    if (mod == NULL)
        fail_msg("%s", fault.text);
    free(text);
    b->host_in = emulated_buffer(b->m, CASE_INPUT_BYTES, &b->in);
    b->host_out = emulated_buffer(b->m, CASE_OUTPUT_BYTES, &b->out);
    fill_operands(c, b->host_in);
    parameters[0] = b->out;
    parameters[1] = b->in;
    l.params = parameters;
    if (machine_launch(b->m, module_kernel(mod, "t0"), &l, &fault) != 0)
        fail_msg("%s: %s", c->line, fault.text);
}

static float
float_of(uint64_t bits)
{
    uint32_t word = (uint32_t)bits;
    float f;

    memcpy(&f, &word, sizeof f);
    return f;
}

static float
flushed(float f, bool ftz)
{
    return ftz && fabsf(f) < 0x1p-126f ? copysignf(0.0f, f) : f;
}

static double
operate(char operation, double x, double y, double z)
{
    return operation == '+'   ? x + y
           : operation == '-' ? x - y
           : operation == '*' ? x * y
                              : fma(x, y, z);
}

/* Less than the least normal number when rounded as if the exponent had no bound. */
static bool
is_tiny(double exact)
{
    int exponent;
    double mantissa = frexp(exact, &exponent);

    return fabs(ldexp(nearbyint(ldexp(mantissa, 24)), exponent - 24)) < 0x1p-126;
}

/* operation: + - * or f (fma); the only NaN is 0x7fffffff. */
static uint32_t
expected(char operation, int mode, bool ftz, bool sat, float a, float b, float c)
{
    volatile float x = flushed(a, ftz), y = flushed(b, ftz), z = flushed(c, ftz), r;
    float result;
    uint32_t word;

    fesetround(mode);
    r = operation == '+'   ? x + y
        : operation == '-' ? x - y
        : operation == '*' ? x * y
                           : fmaf(x, y, z);
    result = r;
    if (ftz && is_tiny(operate(operation, (double)x, (double)y, (double)z)))
        result = copysignf(0.0f, result);
    fesetround(FE_TONEAREST);
    if (sat)
        result = result > 0 ? fminf(result, 1.0f) : 0.0f;
    memcpy(&word, &result, sizeof word);
    return isnan(result) ? 0x7fffffff : word;
}

static const struct {
    const char *suffix;
    int mode;
} modes[] = {{".rn", FE_TONEAREST},
             {".rz", FE_TOWARDZERO},
             {".rm", FE_DOWNWARD},
             {".rp", FE_UPWARD}};

static const struct {
    const char *name;
    char sign;
} operations[] = {{"add", '+'}, {"sub", '-'}, {"mul", '*'}, {"fma", 'f'}};

static struct form_case
case_of(const char *line)
{
    struct form_cases list = {0};
    char words[4][32];
    struct form_case c;

    expand_line(&list, line, words, 0);
    assert_int_equal(list.count, 1);
    c = list.all[0];
    free(list.all);
    return c;
}

/* Both halves get operands of their own: (a, b) op (c, f), fma adds (b, c). */
static void
test_pairs(void **state)
{
    (void)state;
    for (unsigned o = 0; o < 4; o++)
        for (unsigned m = 0; m < 8; m++) {
            bool ftz = m >= 4;
            char line[300];
            struct form_case c;
            struct bench b;

            snprintf(line, sizeof line,
                     "%s%s%s.f32x2 l f f f f : { .reg .b64 %%p0, %%p1, %%p2; mov.b64 "
                     "%%p0, {%%a, %%b}; mov.b64 %%p1, {%%c, %%f}; mov.b64 %%p2, {%%b, "
                     "%%c}; @ %%d, %%p0, %%p1%s; }",
                     operations[o].name, modes[m % 4].suffix, ftz ? ".ftz" : "",
                     o == 3 ? ", %p2" : "");
            c = case_of(line);
            run(&b, &c, "");
            for (size_t t = 0; t < CASES; t++) {
                float v[4];
                uint64_t want;

                for (unsigned k = 0; k < 4; k++)
                    v[k] = float_of(b.host_in[k * CASES + t]);
                want = (uint64_t)expected(operations[o].sign, modes[m % 4].mode, ftz,
                                          false, v[1], v[3], v[2])
                           << 32 |
                       expected(operations[o].sign, modes[m % 4].mode, ftz, false, v[0],
                                v[2], v[1]);
                if (b.host_out[t] != want)
                    fail_msg("%s, thread %zu: %#llx, not %#llx", c.line, t,
                             (unsigned long long)b.host_out[t], (unsigned long long)want);
            }
            machine_free(b.m);
        }
}

/* The narrow operand's value, exact in single precision. */
static float
half_of(uint64_t bits, bool is_bfloat)
{
    uint32_t word = (uint32_t)(bits & 0xffff);
    int exponent = (int)(word >> 10 & 31);
    float f, magnitude = (float)(word & 0x3ff);

    if (is_bfloat)
        return float_of((uint64_t)word << 16);
    if (exponent == 31)
        f = magnitude != 0 ? NAN : INFINITY;
    else
        f = ldexpf(exponent != 0 ? magnitude + 1024 : magnitude,
                   (exponent != 0 ? exponent : 1) - 25);
    return word >> 15 != 0 ? -f : f;
}

static void
test_mixed(void **state)
{
    static const char *const types[] = {"f16", "bf16"};

    (void)state;
    for (unsigned i = 0; i < 3 * 2 * 4 * 2; i++) {
        unsigned o = i % 3 == 2 ? 3 : i % 3, type = i / 3 % 2, m = i / 6 % 4;
        bool sat = i / 24 != 0, is_fma = o == 3;
        char line[100], letter = type == 0 ? 'F' : 'G';
        struct form_case c;
        struct bench b;

        snprintf(line, sizeof line, "%s%s%s.f32.%s w %c %c%s", operations[o].name,
                 modes[m].suffix, sat ? ".sat" : "", types[type], letter,
                 is_fma ? letter : 'f', is_fma ? " f" : "");
        c = case_of(line);
        run(&b, &c, "");
        for (size_t t = 0; t < CASES; t++) {
            float x = half_of(b.host_in[t], type == 1);
            uint64_t second = b.host_in[CASES + t];
            float y = is_fma ? half_of(second, type == 1) : float_of(second);
            uint32_t want = expected(operations[o].sign, modes[m].mode, false, sat, x, y,
                                     float_of(b.host_in[2 * CASES + t]));

            if (b.host_out[t] != want)
                fail_msg("%s, thread %zu: %#llx, not %#x", c.line, t,
                         (unsigned long long)b.host_out[t], want);
        }
        machine_free(b.m);
    }
}

/* Results and parameters in registers (7.1), a constant among the arguments. */
static void
test_results(void **state)
{
    struct form_case c = case_of("call ww i : call (%d, %e), divide, (%a, 7);");
    struct bench b;

    (void)state;
    run(&b, &c,
        ".func (.reg .u32 q, .reg .u32 r) divide(.reg .u32 x, .reg .u32 by)\n"
        "{\n  .reg .pred %p;\n  div.u32 q, x, by;\n  rem.u32 r, x, by;\n"
        "  setp.gt.u32 %p, q, 1000;\n  @%p ret;\n  add.u32 q, q, 5;\n}\n");
    for (size_t t = 0; t < CASES; t++) {
        uint32_t x = (uint32_t)b.host_in[t], q = x / 7;

        assert_int_equal(b.host_out[t], q > 1000 ? q : q + 5);
        assert_int_equal(b.host_out[CASES + t], x % 7);
    }
    machine_free(b.m);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_pairs),
                                       cmocka_unit_test(test_mixed),
                                       cmocka_unit_test(test_results)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
