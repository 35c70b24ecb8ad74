#include "arbiter/judging/outputs.h"

#include "arbiter/judging/explain.h"
#include "base/buf.h"
#include "numbers/compare_rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct compare_rule
outputs_rule(const struct problem *problem, int param, bool benchmark)
{
    const struct tolerance t = problem_tolerance(problem, param, benchmark);

    return (struct compare_rule){.dtype = (uint8_t)problem->param[param].type,
                                 .exact =
                                     t.mode != COMPARE_CLOSE && t.mode != COMPARE_ULP,
                                 .atol = t.atol,
                                 .rtol = t.rtol,
                                 .ulp = t.ulp};
}

uint64_t
outputs_allowed(const struct problem *problem, int param, bool benchmark, uint64_t count)
{
    const struct tolerance t = problem_tolerance(problem, param, benchmark);

    return (uint64_t)(t.may_differ * (double)count);
}

/* Returns the bytes of a buffer: its view, or a copy, which the caller frees by *owned.
 * NULL: the buffer could not be read. */
static const void *
view_buffer(struct device *d, const struct device_buffer *b, void **owned,
            struct report *r)
{
    const uint64_t bytes = device_buffer_bytes(b);

    *owned = NULL;
    if (device_view(b) != NULL)
        return device_view(b);
    *owned = xmalloc(bytes);
    return device_read(d, b, 0, bytes, *owned, r) == 0 ? *owned : NULL;
}

static void
describe_row(const struct extent *e, enum dtype type, const void *want,
             const struct compare_rows_result *rows, struct outputs_finding *out)
{
    struct buf text = {0};

    buf_puts(&text, "this row's values, in any order, are not the expected ones: ");
    explain_number(&text, type, (const char *)want + rows->missing * dtype_size(type));
    buf_printf(&text, " is missing; %ju of %ju row%s %s wrong", (uintmax_t)rows->wrong,
               (uintmax_t)(e->count / e->dim[e->rank - 1]),
               e->count == e->dim[e->rank - 1] ? "" : "s",
               rows->wrong == 1 ? "is" : "are");
    snprintf(out->text, sizeof out->text, "%s", buf_str(&text));
    buf_free(&text);
}

/* Compares an output whose rows may have their values in any order. */
static int
compare_unordered(struct device *d, const struct call_set *set, const struct answer *a,
                  int param, struct outputs_finding *out, struct report *r)
{
    const struct extent *e = &set->extent[param];
    const enum dtype type = set->problem->param[param].type;
    const uint64_t columns = e->dim[e->rank - 1];
    struct compare_rows_result rows = {0};
    void *own_got, *own_want = NULL;
    const void *got = view_buffer(d, set->copy[param], &own_got, r);
    const void *want =
        got != NULL ? view_buffer(d, a->known->buffer[param], &own_want, r) : NULL;

    if (want != NULL)
        compare_rows(type, got, want, e->count / columns, columns, &rows);
    out->result = (struct compare_result){.wrong = rows.wrong};
    if (want != NULL && rows.wrong > 0) {
        out->result.first = rows.first * columns;
        describe_row(e, type, want, &rows, out);
    }
    free(own_got);
    free(own_want);
    return want != NULL ? 0 : -1;
}

/* Compares one output by the rule that the spec gives it. */
static int
compare_one(struct device *d, const struct call_set *set, const struct answer *a,
            int param, bool benchmark, struct outputs_finding *out, struct report *r)
{
    const struct compare_rule rule = outputs_rule(set->problem, param, benchmark);
    const uint64_t count = set->extent[param].count;

    if (problem_tolerance(set->problem, param, benchmark).mode == COMPARE_UNORDERED)
        return compare_unordered(d, set, a, param, out, r);
    if (device_compare(d, set->copy[param], a->known->buffer[param], count, &rule,
                       &out->result, r) != 0)
        return -1;
    /* A NaN is never one of the few that may differ. */
    if (out->result.nan == 0 &&
        out->result.wrong <= outputs_allowed(set->problem, param, benchmark, count))
        out->result.wrong = 0;
    return 0;
}

/* Asks the checker about the outputs that it judges. */
static int
ask_checker(const struct call_set *set, const struct answer *a, bool benchmark,
            struct outputs_finding *out, struct report *r)
{
    struct checker_finding found;

    if (checker_run(a->checker, set, a->known, a->seed, benchmark, &found, r) != 0)
        return -1;
    out->param = found.param;
    out->checker_crashed = found.crashed;
    out->result = (struct compare_result){.wrong = 1, .first = found.index};
    memcpy(out->text, found.text, sizeof out->text);
    return 0;
}

int
outputs_compare(struct device *d, const struct call_set *set, const struct answer *a,
                bool benchmark, struct outputs_finding *out, struct report *r)
{
    const struct problem *problem = set->problem;
    bool asks = false;

    *out = (struct outputs_finding){.param = -1};
    for (int i = 0; i < problem->param_count; i++) {
        if (!param_is_output(&problem->param[i]))
            continue;
        if (problem_tolerance(problem, i, benchmark).mode == COMPARE_CHECKER) {
            asks = true;
            continue;
        }
        if (compare_one(d, set, a, i, benchmark, out, r) != 0)
            return -1;
        if (out->result.wrong != 0) {
            out->param = i;
            return 0;
        }
    }
    return asks ? ask_checker(set, a, benchmark, out, r) : 0;
}
