#include "arbiter/judging/differences.h"

#include "arbiter/judging/explain.h"
#include "arbiter/judging/outputs.h"
#include "numbers/compare_fn.h"

#include <inttypes.h>

#define DIFFERENCES_STEP 512 /* elements that are read at once */

/* "  C[3] is 0, expected 7" */
static void
differences_add_line(struct buf *out, const struct param *p, const struct extent *e,
                     uint64_t index, const void *got, const void *want)
{
    buf_puts(out, "  ");
    explain_place(out, p->name, e, index);
    buf_puts(out, " is ");
    explain_number(out, p->type, got);
    buf_puts(out, ", expected ");
    explain_number(out, p->type, want);
    buf_puts(out, "\n");
}

/* Looks from the first wrong element on for the others. */
static int
differences_list(struct device *d, const struct call_set *set, const struct answer *a,
                 int param, uint64_t first, struct buf *out, struct report *r)
{
    const struct param *p = &set->problem->param[param];
    const struct extent *e = &set->extent[param];
    const struct compare_rule rule = outputs_rule(set->problem, param, false);
    const size_t size = dtype_size(p->type);
    uint64_t got[DIFFERENCES_STEP], want[DIFFERENCES_STEP]; /* aligned for every type */
    int told = 0;

    for (uint64_t at = first; at < e->count && told < DIFFERENCES_MAX;
         at += DIFFERENCES_STEP) {
        const uint64_t left = e->count - at;
        const uint64_t count = left < DIFFERENCES_STEP ? left : DIFFERENCES_STEP;

        if (device_read(d, set->copy[param], at * size, count * size, got, r) != 0 ||
            device_read(d, a->known->buffer[param], at * size, count * size, want, r) !=
                0)
            return -1;
        for (uint64_t i = 0; i < count && told < DIFFERENCES_MAX; i++) {
            if (compare_element(&rule, got, want, i))
                continue;
            differences_add_line(out, p, e, at + i, (char *)got + i * size,
                                 (char *)want + i * size);
            told++;
        }
    }
    return 0;
}

static int
differences_of(struct device *d, const struct call_set *set, const struct answer *a,
               int param, struct buf *out, struct report *r)
{
    const struct compare_rule rule = outputs_rule(set->problem, param, false);
    const uint64_t count = set->extent[param].count;
    struct compare_result found;

    if (device_compare(d, set->copy[param], a->known->buffer[param], count, &rule, &found,
                       r) != 0)
        return -1;
    if (found.wrong == 0 ||
        (found.nan == 0 &&
         found.wrong <= outputs_allowed(set->problem, param, false, count)))
        return 0;
    buf_printf(out, "%" PRIu64 " of %" PRIu64 " elements of %s are wrong%s:\n",
               found.wrong, count, set->problem->param[param].name,
               found.wrong > DIFFERENCES_MAX ? ", the first of them" : "");
    return differences_list(d, set, a, param, found.first, out, r);
}

int
differences_describe(struct device *d, const struct call_set *set, const struct answer *a,
                     struct buf *out, struct report *r)
{
    for (int i = 0; i < set->problem->param_count; i++) {
        const enum compare_mode mode = problem_tolerance(set->problem, i, false).mode;

        if (param_is_output(&set->problem->param[i]) && mode != COMPARE_UNORDERED &&
            mode != COMPARE_CHECKER && differences_of(d, set, a, i, out, r) != 0)
            return -1;
    }
    return 0;
}
