/*
 * Finds what shows only at each test's sizes. A size may be out of its bounds. Extents
 * may be zero, negative or too large, and values may not fit. A test may need more memory
 * than a call may use, and a formula of the work may fail.
 */
#include "problem/spec.h"
#include "problem/values.h"

#include "base/buf.h"

#include <stdio.h>
#include <stdlib.h>

#define BENCHMARKS 2 /* cuda and emu, which follow the tests */

/* What is wrong with the values that a parameter has in every test which states none. It
 * shows in many tests, and is told once. */
struct own_values {
    char *first; /* the sentence of the first test where it shows; owned; NULL: none */
    char *where; /* that test: "$.tests[1]"; owned */
    int more;    /* how many tests and benchmarks follow */
};

struct verify {
    struct spec *spec;
    struct own_values own[PROBLEM_PARAMS_MAX];
};

static void
verify_values(struct verify *v, const struct at *at, const struct test_case *t, int param,
              const struct extent *extent)
{
    struct at values_at = {.up = at, .key = "values"};
    struct at here = {.up = &values_at, .key = v->spec->problem->param[param].name};
    struct own_values *own = &v->own[param];
    struct report r = {0};

    if (values_verify(v->spec->problem, t, param, extent, &r) == 0)
        return;
    if (t->values[param] != NULL) {
        spec_report(v->spec, &here, &r);
    } else if (own->first != NULL) {
        own->more++;
    } else {
        own->first = xstrdup(r.text);
        own->where = spec_place(at);
    }
}

/* Reports what was found of the parameters' own values. */
static void
report_own_values(struct verify *v)
{
    struct at params = {.key = "params"};

    for (int i = 0; i < v->spec->problem->param_count; i++) {
        struct own_values *own = &v->own[i];
        struct at param = {.up = &params, .index = i};
        struct at here = {.up = &param, .key = "values"};
        char more[32] = "";

        if (own->first == NULL)
            continue;
        if (own->more > 0)
            snprintf(more, sizeof more, " and %d more", own->more);
        spec_error(v->spec, &here, "in %s%s: %s", own->where, more, own->first);
        free(own->first);
        free(own->where);
    }
}

/* The place of a test: tests[i], or the benchmark behind the last of them. */
static void
place_tests(const struct problem *p, const struct at *tests, const struct at *benchmark,
            int i, struct at *out)
{
    if (i < p->test_count)
        *out = (struct at){.up = tests, .index = i};
    else
        *out = (struct at){.up = benchmark, .key = i == p->test_count ? "cuda" : "emu"};
}

/* Test i, or one of the benchmarks behind the last of them. */
static const struct test_case *
test_of(const struct problem *p, int i)
{
    if (i < p->test_count)
        return &p->test[i];
    return i == p->test_count ? &p->benchmark_cuda : &p->benchmark_emu;
}

/* Is it outside the parameter's bounds? *sentence says so then, and is owned. */
static bool
is_out_of_bounds(const struct param *p, double value, char **sentence)
{
    const bool below = value < p->min;

    if (!below && !(value > p->max))
        return false;
    *sentence = xasprintf("%.17g is %s the parameter's %s %.17g", value,
                          below ? "below" : "above", below ? "minimum" : "maximum",
                          below ? p->min : p->max);
    return true;
}

/* Reports the first test in which this scalar is out of its bounds, and how many follow:
 * where the bounds are wrong, most tests are. Returns how many there are. */
static int
verify_bounds(struct spec *s, const struct at *tests, const struct at *benchmark,
              int scalar)
{
    const struct problem *p = s->problem;
    char *sentence = NULL, more[64] = "";
    struct at first = {0}, at;
    int count = 0;

    for (int i = 0; i < p->test_count + BENCHMARKS; i++) {
        char *found;

        if (!is_out_of_bounds(&p->param[scalar], test_of(p, i)->scalar[scalar], &found))
            continue;
        if (count++ == 0) {
            place_tests(p, tests, benchmark, i, &first);
            sentence = found;
        } else {
            free(found);
        }
    }
    if (count > 1)
        snprintf(more, sizeof more, "; %d more are out of bounds", count - 1);
    at = (struct at){.up = &first, .key = p->param[scalar].name};
    if (count > 0)
        spec_error(s, &at, "%s%s", sentence, more);
    free(sentence);
    return count;
}

static void
verify_test(struct verify *v, const struct at *at, const struct test_case *t)
{
    struct spec *s = v->spec;
    const struct problem *p = s->problem;
    unsigned long long bytes = 0;

    for (int i = 0; i < p->param_count; i++) {
        struct report r = {0};
        struct extent extent;

        if (p->param[i].dir == DIR_SCALAR)
            continue;
        if (problem_extent(p, t, i, &extent, &r) != 0) {
            spec_report(s, at, &r);
            return;
        }
        bytes += extent.bytes; /* at most 32 times 2^48, which does not overflow */
        if (p->param[i].dir != DIR_OUT)
            verify_values(v, at, t, i, &extent);
    }
    if (bytes > p->memory_limit)
        spec_error(s, at, "the buffers take %llu MiB, over the limit of %zu MiB",
                   (bytes + 1048575) >> 20, p->memory_limit >> 20);
}

static void
verify_work(struct spec *s, const struct at *at, const struct test_case *t)
{
    const struct expr *const work[] = {s->problem->work_bytes, s->problem->work_flops};
    static const char *const NAMES[] = {"bytes", "flops"};

    for (int i = 0; i < 2; i++) {
        struct report r = {0};
        double value;

        if (work[i] == NULL)
            continue;
        if (expr_real(work[i], t->scalar, &value, &r) != 0)
            spec_error(s, at, "work.%s: %s", NAMES[i], r.text);
        else if (value < 0)
            spec_error(s, at, "work.%s is negative here: %.9g", NAMES[i], value);
    }
}

void
problem_verify(struct spec *s)
{
    const struct problem *p = s->problem;
    struct verify v = {.spec = s};
    const struct at tests = {.key = "tests"}, benchmark = {.key = "benchmark"};
    int out_of_bounds = 0;

    for (int i = 0; i < p->param_count; i++)
        if (p->param[i].dir == DIR_SCALAR)
            out_of_bounds += verify_bounds(s, &tests, &benchmark, i);
    if (out_of_bounds > 0)
        return; /* extents, values and work may follow from a wrong size */
    for (int i = 0; i < p->test_count + BENCHMARKS; i++) {
        struct at here;

        place_tests(p, &tests, &benchmark, i, &here);
        verify_test(&v, &here, test_of(p, i));
        if (i >= p->test_count)
            verify_work(s, &here, test_of(p, i));
    }
    report_own_values(&v);
}
