/*
 * The element functions of compare.h. gcc compiles this one source for the host and nvcc
 * for the arbiter's compare kernel, and both give the same answer. No operations may be
 * contracted: -ffp-contract=off here, --fmad=false there.
 */
#ifndef NUMBERS_COMPARE_FN_H
#define NUMBERS_COMPARE_FN_H

#include "numbers/compare.h"
#include "numbers/gen_fn.h"

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

/* A unit in the last place of `want` in this type; 1 for integers. */
GEN_FN double
compare_step(uint8_t dtype, double want)
{
    int digits = 0, least = 0, e = 0;

    switch ((enum dtype)dtype) {
    case DTYPE_F32:
        digits = 23, least = -126;
        break;
    case DTYPE_F64:
        digits = 52, least = -1022;
        break;
    case DTYPE_F16:
        digits = 10, least = -14;
        break;
    case DTYPE_BF16:
        digits = 7, least = -126;
        break;
    case DTYPE_E4M3:
        digits = 3, least = -6;
        break;
    case DTYPE_E5M2:
        digits = 2, least = -14;
        break;
    default:
        return 1;
    }
    (void)frexp(want, &e); /* want = 0.5..1 * 2^e */
    e = want == 0 || e - 1 < least ? least : e - 1;
    return ldexp(1.0, e - digits);
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
    if (rule->ulp > 0)
        return fabs(got - want) <= rule->ulp * compare_step(rule->dtype, want);
    return fabs(got - want) <= rule->atol + rule->rtol * fabs(want);
}

/* Is element `index` of `got` right? Where the rule is exact, 64-bit integers are
 * compared as integers, because a double would lose their low bits. */
GEN_FN int
compare_element(const struct compare_rule *rule, const void *got, const void *want,
                uint64_t index)
{
    if (rule->exact && (rule->dtype == DTYPE_I64 || rule->dtype == DTYPE_U64))
        return ((const uint64_t *)got)[index] == ((const uint64_t *)want)[index];
    return compare_value(rule, gen_read(rule->dtype, got, index),
                         gen_read(rule->dtype, want, index));
}

/* Adds a wrong element to the result. The calls may come in any order of `index`. */
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

/* The result of comparing nothing, with which compare_run() and each part of the kernel
 * begin. */
GEN_FN struct compare_result
compare_nothing(void)
{
    struct compare_result none;

    none.wrong = none.nan = none.inf = 0;
    none.first = UINT64_MAX;
    none.max_abs_error = 0;
    return none;
}

/* Adds the result of one part of a comparison to the sum. */
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
