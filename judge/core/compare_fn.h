/*
 * The element functions of compare.h: one source for gcc (the host) and nvcc (the
 * arbiter's compare kernel), with the same answer from both. No contraction:
 * -ffp-contract=off here,
 * --fmad=false there.
 */
#ifndef CORE_COMPARE_FN_H
#define CORE_COMPARE_FN_H

#include "core/compare.h"
#include "core/gen_fn.h"

#define COMPARE_DOUBLE_MAX 1.7976931348623157e308

GEN_FN int
compare_is_nan(double x)
{
    return x != x;
}

GEN_FN int
compare_is_finite(double x)
{
    return fabs(x) <= COMPARE_DOUBLE_MAX;
}

/* Is `got` right? Written so that a NaN on one side only is wrong, and so that an
 * infinite `want` does not make the tolerance infinite. */
GEN_FN int
compare_value(const struct compare_rule *rule, double got, double want)
{
    if (compare_is_nan(want))
        return compare_is_nan(got);
    if (rule->exact || !compare_is_finite(want))
        return got == want;
    return fabs(got - want) <= rule->atol + rule->rtol * fabs(want);
}

/* Elements `index` of two buffers. 64-bit integers are compared as such where the rule is
 * exact: a double would forget their low bits. */
GEN_FN int
compare_element(const struct compare_rule *rule, const void *got, const void *want,
                uint64_t index)
{
    if (rule->exact && (rule->dtype == DTYPE_I64 || rule->dtype == DTYPE_U64))
        return ((const uint64_t *)got)[index] == ((const uint64_t *)want)[index];
    return compare_value(rule, gen_read(rule->dtype, got, index),
                         gen_read(rule->dtype, want, index));
}

/* Adds a wrong element to what is known so far. `index` may come in any order. */
GEN_FN void
compare_count(struct compare_result *out, double got, double want, uint64_t index)
{
    out->wrong++;
    if (index < out->first)
        out->first = index;
    if (compare_is_nan(got)) {
        out->nan++;
    } else if (!compare_is_finite(got)) {
        out->inf++;
    } else if (compare_is_finite(want)) {
        double error = fabs(got - want);

        if (error > out->max_abs_error)
            out->max_abs_error = error;
    }
}

/* What compare_run starts from, and what a kernel's partial results start from. */
GEN_FN struct compare_result
compare_nothing(void)
{
    struct compare_result none;

    none.wrong = none.nan = none.inf = 0;
    none.first = UINT64_MAX;
    none.max_abs_error = 0;
    return none;
}

/* Joins two parts of one comparison. */
GEN_FN void
compare_join(struct compare_result *sum, const struct compare_result *part)
{
    sum->wrong += part->wrong;
    sum->nan += part->nan;
    sum->inf += part->inf;
    if (part->first < sum->first)
        sum->first = part->first;
    if (part->max_abs_error > sum->max_abs_error)
        sum->max_abs_error = part->max_abs_error;
}

#endif
