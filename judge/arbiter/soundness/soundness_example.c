/*
 * Compares the statement's worked example with the sample tests. Its scalars and inputs
 * must be those of a sample test. Its outputs must be what the reference computes, to the
 * digits that are shown.
 *
 * One heading may have several samples, one after the other. A sample names each
 * parameter once, and an inout parameter twice: before and after the call. A parameter
 * that is named once more begins the next sample.
 */
#include "arbiter/judging/explain.h"
#include "arbiter/soundness/soundness.h"
#include "numbers/gen.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* How far, relative to its value, a number may be from the shown one beyond the shown
 * digits. It covers the rounding to the output's type. */
#define SLACK 2e-7

/* --- the samples that a statement shows --------------------------------------------- */

/* Takes a value into the sample. False: the sample has this parameter already. */
static bool
take_value(struct shown *shown, const struct problem *p, int param,
           const struct example_value *v)
{
    const enum param_dir dir = p->param[param].dir;

    if (dir != DIR_OUT && shown->before[param] == NULL)
        shown->before[param] = v;
    else if ((dir == DIR_OUT || dir == DIR_INOUT) && shown->after[param] == NULL)
        shown->after[param] = v;
    else
        return false;
    return true;
}

static struct shown *
add_shown(struct soundness *s, int line)
{
    s->shown = xrealloc(s->shown, sizeof *s->shown * (size_t)(s->shown_count + 1));
    s->shown[s->shown_count] = (struct shown){.line = line};
    return &s->shown[s->shown_count++];
}

void
soundness_example_begin(struct soundness *s, const char *statement)
{
    examples_read(statement, &s->examples);
    for (int i = 0; i < s->examples.count; i++) {
        const struct example *e = &s->examples.example[i];
        struct shown *shown = NULL;

        for (int k = 0; k < e->count; k++) {
            const struct example_value *v = &e->value[k];
            const int param = problem_param_index(s->problem, v->name);

            if (param < 0)
                continue;
            if (shown == NULL || !take_value(shown, s->problem, param, v)) {
                shown = add_shown(s, v->line);
                take_value(shown, s->problem, param, v);
            }
        }
    }
}

/* --- numbers ------------------------------------------------------------------------ */

static bool
is_shown(const struct example_number *n, enum dtype type, const void *values, uint64_t i)
{
    const double value = gen_load((uint8_t)type, values, i);

    if (isnan(value) || isnan(n->value))
        return isnan(value) && isnan(n->value);
    if (isinf(value) || isinf(n->value))
        return value == n->value;
    if (dtype_class(type) != CLASS_FLOAT)
        return value == n->value;
    return fabs(value - n->value) <= n->half_unit * (1 + 1e-9) + SLACK * fabs(value);
}

static char *
number_text(enum dtype type, const void *values, uint64_t i)
{
    struct buf out = {0};

    explain_number(&out, type, (const char *)values + i * dtype_size(type));
    return buf_take(&out);
}

/* Why the shown value is not the buffer's, or NULL if it is. The caller frees it. */
static char *
buffer_difference(const struct example_value *v, const struct param *p,
                  const struct extent *e, const void *values, const char *whose)
{
    if (v->wrong != NULL)
        return xasprintf("%s: %s", p->name, v->wrong);
    if (v->wanted)
        return xasprintf("%s: only outputs can be filled in", p->name);
    if (v->count != e->count)
        return xasprintf("%s has %zu numbers here, but %llu in the test", p->name,
                         v->count, (unsigned long long)e->count);
    if (v->rank > 1 && v->last != e->dim[e->rank - 1])
        return xasprintf("%s has rows of %zu here, but of %llu in the test", p->name,
                         v->last, (unsigned long long)e->dim[e->rank - 1]);
    for (uint64_t i = 0; i < e->count; i++) {
        struct buf text = {0};
        char *is;

        if (is_shown(&v->number[i], p->type, values, i))
            continue;
        is = number_text(p->type, values, i);
        explain_place(&text, p->name, e, i);
        buf_printf(&text, " is %.9g here, but %s is %s", v->number[i].value, whose, is);
        free(is);
        return buf_take(&text);
    }
    return NULL;
}

static char *
scalar_difference(const struct example_value *v, const struct param *p, double value)
{
    const bool real = dtype_class(p->type) == CLASS_FLOAT;

    if (v->wrong != NULL)
        return xasprintf("%s: %s", p->name, v->wrong);
    if (v->count != 1)
        return xasprintf("%s is one number", p->name);
    if (fabs(v->number[0].value - value) > (real ? SLACK * fabs(value) : 0))
        return xasprintf("%s is %.9g here, but %.9g in the test", p->name,
                         v->number[0].value, value);
    return NULL;
}

/* Adds a number, such as "0.0900306", with at least six digits. One that is no integer
 * gets a point or an exponent. */
static void
add_number(struct buf *out, enum dtype type, const void *values, uint64_t i)
{
    const double value = gen_load((uint8_t)type, values, i);
    char text[40];

    if (dtype_class(type) != CLASS_FLOAT || !isfinite(value) || value == floor(value)) {
        explain_number(out, type, (const char *)values + i * dtype_size(type));
        return;
    }
    for (int digits = 6; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (strpbrk(text, ".e") != NULL)
            break;
    }
    buf_puts(out, text);
}

/* Adds the values from one dimension on, such as "[1, 2]". A matrix has a line for each
 * row, and the rows stand below each other. */
static void
add_dimension(struct buf *out, enum dtype type, const struct extent *e, int dim,
              uint64_t first, int indent, const void *values)
{
    uint64_t step = 1;

    for (int k = dim + 1; k < e->rank; k++)
        step *= e->dim[k];
    buf_puts(out, "[");
    for (uint64_t i = 0; i < e->dim[dim]; i++) {
        if (i > 0 && dim + 1 < e->rank)
            buf_printf(out, ",\n%*s", indent + dim + 1, "");
        else
            buf_puts(out, i > 0 ? ", " : "");
        if (dim + 1 < e->rank)
            add_dimension(out, type, e, dim + 1, first + i * step, indent, values);
        else
            add_number(out, type, values, first + i);
    }
    buf_puts(out, "]");
}

/* Keeps the text that belongs in the place of each question mark. */
static void
fill_in(struct soundness *s, const struct shown *shown, const struct sound_call *call)
{
    for (int i = 0; i < s->problem->param_count; i++) {
        const struct example_value *v = shown->after[i];
        struct buf text = {0};

        if (v == NULL || !v->wanted)
            continue;
        add_dimension(&text, s->problem->param[i].type, &call->answer.known->extent[i], 0,
                      0, v->column, device_view(call->answer.known->buffer[i]));
        findings_add_fill(&s->findings, v->line, buf_take(&text));
    }
}

/* --- against a test ----------------------------------------------------------------- */

/* The first difference between a sample and a call, with its line, or NULL. It looks at
 * the scalars and inputs, or with `outputs` at the outputs. The caller frees it. */
static char *
first_difference(const struct soundness *s, const struct shown *shown,
                 const struct sound_call *call, bool outputs, int *line)
{
    for (int i = 0; i < s->problem->param_count; i++) {
        const struct param *p = &s->problem->param[i];
        const struct example_value *v = outputs ? shown->after[i] : shown->before[i];
        const struct call_set *set = outputs ? call->answer.known : &call->set;
        char *why;

        if (v == NULL || (outputs && v->wanted))
            continue;
        why = p->dir == DIR_SCALAR
                  ? scalar_difference(v, p, call->test->scalar[i])
                  : buffer_difference(v, p, &set->extent[i], device_view(set->buffer[i]),
                                      outputs ? "the reference's" : "the test's");
        *line = v->line;
        if (why != NULL)
            return why;
    }
    return NULL;
}

static char *
first_missing(const struct problem *p, const struct shown *shown)
{
    for (int i = 0; i < p->param_count; i++) {
        const enum param_dir dir = p->param[i].dir;

        if ((dir != DIR_OUT && shown->before[i] == NULL) ||
            (dir == DIR_OUT && shown->after[i] == NULL))
            return xasprintf("%s is missing in the example", p->param[i].name);
        if (dir == DIR_INOUT && shown->after[i] == NULL)
            return xasprintf("%s stands in the example once: it is shown twice, before "
                             "and after",
                             p->param[i].name);
    }
    return NULL;
}

static void
add_at_line(struct soundness *s, int line, const char *sentence)
{
    char *where = xasprintf("statement.md:%d", line);

    findings_add(&s->findings, where, "%s", sentence);
    free(where);
}

/* Keeps why a sample test is not the sample shown. The first reason stays, unless a later
 * test has the same scalars: that reason says most. Takes over `why`. */
static void
keep_reason(struct shown *shown, char *why, int line, bool same_scalars)
{
    if (shown->why != NULL && (shown->why_same_scalars || !same_scalars)) {
        free(why);
        return;
    }
    free(shown->why);
    shown->why = why;
    shown->why_line = line;
    shown->why_same_scalars = same_scalars;
}

static bool
same_scalars(const struct problem *p, const struct shown *shown,
             const struct test_case *t)
{
    for (int i = 0; i < p->param_count; i++) {
        const struct example_value *v = shown->before[i];
        char *why = p->param[i].dir == DIR_SCALAR && v != NULL
                        ? scalar_difference(v, &p->param[i], t->scalar[i])
                        : NULL;

        free(why);
        if (why != NULL)
            return false;
    }
    return true;
}

void
soundness_example(struct soundness *s, const struct sound_call *call)
{
    for (int i = 0; i < s->shown_count; i++) {
        struct shown *shown = &s->shown[i];
        int line = shown->line;
        char *why = first_missing(s->problem, shown);

        if (why == NULL)
            why = first_difference(s, shown, call, false, &line);
        if (why != NULL) {
            keep_reason(shown, why, line, same_scalars(s->problem, shown, call->test));
            continue;
        }
        shown->seen = true;
        fill_in(s, shown, call);
        why = first_difference(s, shown, call, true, &line);
        if (why != NULL)
            add_at_line(s, line, why);
        free(why);
    }
}

void
soundness_example_end(struct soundness *s)
{
    if (s->shown_count == 0 && !soundness_accepts(s, ACCEPT_SAMPLE_TESTS))
        findings_add(&s->findings, "statement.md",
                     "has no worked example: below a heading \"Example\", indented lines "
                     "such as `N = 3` and `A = [1, 2, 3]` for every parameter");
    for (int i = 0; i < s->shown_count; i++)
        if (!s->shown[i].seen && s->shown[i].why != NULL)
            add_at_line(s, s->shown[i].why_line, s->shown[i].why);
}

void
soundness_example_free(struct soundness *s)
{
    for (int i = 0; i < s->shown_count; i++)
        free(s->shown[i].why);
    free(s->shown);
    examples_free(&s->examples);
}
