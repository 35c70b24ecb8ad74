/*
 * Finds what shows only at each test's sizes. Extents may be zero, negative or too large,
 * and values may not fit. A test may need more memory than a call may use, and a formula
 * of the work may fail.
 */
#include "problem/spec.h"
#include "problem/values.h"

static void
verify_values(struct spec *s, const struct at *at, const struct test_case *t, int param,
              const struct extent *extent)
{
    struct at values_at = {.up = at, .key = "values"};
    struct at here = {.up = &values_at, .key = s->problem->param[param].name};
    struct report r = {0};

    if (values_verify(s->problem, t, param, extent, &r) == 0)
        return;
    if (t->values[param] != NULL)
        spec_report(s, &here, &r);
    else
        spec_error(s, at, "the values of %s: %s", s->problem->param[param].name, r.text);
}

static void
verify_test(struct spec *s, const struct at *at, const struct test_case *t)
{
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
            verify_values(s, at, t, i, &extent);
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
    struct at tests = {.key = "tests"}, benchmark = {.key = "benchmark"};
    struct at cuda = {.up = &benchmark, .key = "cuda"},
              emu = {.up = &benchmark, .key = "emu"};

    for (int i = 0; i < p->test_count; i++) {
        struct at here = {.up = &tests, .index = i};

        verify_test(s, &here, &p->test[i]);
    }
    verify_test(s, &cuda, &p->benchmark_cuda);
    verify_work(s, &cuda, &p->benchmark_cuda);
    verify_test(s, &emu, &p->benchmark_emu);
    verify_work(s, &emu, &p->benchmark_emu);
}
