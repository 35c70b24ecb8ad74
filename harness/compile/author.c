/*
 * The text around an author's inputs.c and checker.c; docs/problem-format.md tells
 * authors what they get. Both are C programs like a reference in C: they run in a
 * runner, on buffers in host memory. In front of the author's text stand the small
 * library below and a prototype of the author's function. A definition that differs
 * from the prototype is then the compiler's error.
 */
#include "compile/wrapper.h"

#include <stdlib.h>

/* Random numbers for inputs.c: SplitMix64 (G. L. Steele, D. Lea, C. H. Flood, "Fast
 * splittable pseudorandom number generators", OOPSLA 2014). */
static const char draws[] =
    "#include <math.h>\n"
    "struct draws { uint64_t state; };\n"
    "static uint64_t draw_bits(struct draws *d)\n"
    "{\n"
    "    uint64_t x = d->state += 0x9E3779B97F4A7C15u;\n"
    "    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9u;\n"
    "    x = (x ^ x >> 27) * 0x94D049BB133111EBu;\n"
    "    return x ^ x >> 31;\n"
    "}\n"
    "static double draw_uniform(struct draws *d, double lo, double hi)\n"
    "{\n"
    "    return lo + (hi - lo) * ((double)(draw_bits(d) >> 11) * 0x1p-53);\n"
    "}\n"
    "static int64_t draw_integer(struct draws *d, int64_t lo, int64_t hi)\n"
    "{\n"
    "    unsigned __int128 span = (unsigned __int128)((__int128)hi - lo) + 1;\n"
    "    return (int64_t)(lo + (__int128)((span * draw_bits(d)) >> 64));\n"
    "}\n"
    "static double draw_normal(struct draws *d, double mean, double deviation)\n"
    "{\n"
    "    double u = 1 - draw_uniform(d, 0, 1), turn = draw_uniform(d, 0, 1);\n"
    "    return mean + deviation * sqrt(-2 * log(u)) * cos(6.283185307179586 * turn);\n"
    "}\n";

/* The answers that checker.c gives; the arbiter's checker.c has the same structure. */
static const char checks[] =
    "#include <math.h>\n"
    "#include <stdarg.h>\n"
    "#include <stdio.h>\n"
    "#include <string.h>\n"
    "struct check { int32_t benchmark, failed; uint64_t index; char output[64], "
    "text[432]; };\n"
    "__attribute__((format(printf, 4, 5))) static void\n"
    "check_fail(struct check *c, const char *output, uint64_t index, const char *format, "
    "...)\n"
    "{\n"
    "    va_list ap;\n"
    "    if (c->failed) return;\n"
    "    c->failed = 1;\n"
    "    c->index = index;\n"
    "    snprintf(c->output, sizeof c->output, \"%s\", output);\n"
    "    va_start(ap, format);\n"
    "    vsnprintf(c->text, sizeof c->text, format, ap);\n"
    "    va_end(ap);\n"
    "}\n";

static const char types[] =
    "#include <stddef.h>\n#include <stdint.h>\n#include <stdlib.h>\n"
    "typedef _Float16 __half;\n"
    "typedef struct { uint16_t bits; } __nv_bfloat16;\n";

static bool
is_input(const struct function_param *q)
{
    return q->dir == FUNCTION_IN || q->dir == FUNCTION_INOUT;
}

/* Adds one parameter of the author's function (declare), or the argument passed for it.
 */
static void
add_value(struct buf *out, bool declare, const char *qualifier,
          const struct function_param *q, const char *prefix, int *slot)
{
    const char *star = q->dir == FUNCTION_SCALAR ? "" : "*";

    if (declare)
        buf_printf(out, ", %s%s %s%s%s", qualifier, dtype_ctype(q->type), star, prefix,
                   q->name);
    else
        buf_printf(out, ",\n        *(%s%s%s const *)a[%d]", qualifier,
                   dtype_ctype(q->type), star, *slot);
    ++*slot;
}

static void
add_inputs_values(struct buf *out, const struct function *f, bool declare)
{
    int slot = 2;

    for (int i = 0; i < f->param_count; i++) {
        if (is_input(&f->param[i]) || f->param[i].dir == FUNCTION_SCALAR)
            add_value(out, declare, "", &f->param[i], "", &slot);
    }
}

static void
add_checker_values(struct buf *out, const struct function *f, bool declare)
{
    int slot = 1;

    for (int i = 0; i < f->param_count; i++) {
        const struct function_param *q = &f->param[i];

        if (q->dir == FUNCTION_SCALAR)
            add_value(out, declare, "", q, "", &slot);
        if (is_input(q))
            add_value(out, declare, "const ", q, q->dir == FUNCTION_IN ? "" : "before_",
                      &slot);
        if (q->dir == FUNCTION_OUT || q->dir == FUNCTION_INOUT) {
            add_value(out, declare, "const ", q, "want_", &slot);
            add_value(out, declare, "const ", q, "", &slot);
        }
    }
}

/* Adds text as a C string, whatever bytes it has. */
static void
add_quoted(struct buf *out, const char *text)
{
    buf_puts(out, "\"");
    for (; *text != '\0'; text++)
        buf_printf(out, "\\%03o", (unsigned char)*text);
    buf_puts(out, "\"");
}

char *
compile_inputs_wrapper(const struct function *f, const char *file_name)
{
    struct buf out = {0};

    buf_puts(&out, types);
    buf_puts(&out, draws);
    buf_puts(&out, "void inputs(struct draws *draws, const char *variant");
    add_inputs_values(&out, f, true);
    buf_printf(&out, ");\n#include \"%s\"\n", file_name);
    buf_puts(&out, "static const char *const warpjudge_variants[] = {\n");
    for (int i = 0; i < f->variant_count; i++) {
        add_quoted(&out, f->variant[i]);
        buf_puts(&out, ",\n");
    }
    buf_puts(&out, "};\nvoid warpjudge_entry(void *const *a)\n{\n"
                   "    struct draws draws = {*(const uint64_t *)a[0]};\n"
                   "    inputs(&draws, warpjudge_variants[*(const uint64_t *)a[1]]");
    add_inputs_values(&out, f, false);
    buf_puts(&out, ");\n}\n");
    return buf_take(&out);
}

char *
compile_checker_wrapper(const struct function *f, const char *file_name)
{
    struct buf out = {0};

    buf_puts(&out, types);
    buf_puts(&out, checks);
    buf_puts(&out, "void check(struct check *check");
    add_checker_values(&out, f, true);
    buf_printf(&out, ");\n#include \"%s\"\n", file_name);
    buf_puts(&out, "void warpjudge_entry(void *const *a)\n{\n"
                   "    check(*(struct check *const *)a[0]");
    add_checker_values(&out, f, false);
    buf_puts(&out, ");\n}\n");
    return buf_take(&out);
}
