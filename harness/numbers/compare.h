/* Compares an output with the expected one and says which element is wrong first. */
#ifndef NUMBERS_COMPARE_H
#define NUMBERS_COMPARE_H

#include <stdint.h>

struct compare_rule {
    uint8_t dtype; /* enum dtype */
    uint8_t exact; /* 1: COMPARE_EXACT of problem/problem.h; atol and rtol are not read */
    double atol, rtol;
    double
        ulp; /* the tolerance in units in the last place of `want`; 0: use atol, rtol */
};

struct compare_result {
    uint64_t wrong;    /* elements that differ by more than the rule allows */
    uint64_t nan, inf; /* wrong elements of which got is NaN, or infinite */
    uint64_t first;    /* flat index of the first wrong element; UINT64_MAX: none */
    double
        max_abs_error; /* over the wrong elements that are finite; 0 if there is none */
};

/* An element is right iff |got - want| <= atol + rtol * |want|, which a NaN never
 * fulfils. The host and the arbiter's compare kernel share the code (compare_fn.h). */
void compare_run(const struct compare_rule *rule, const void *got, const void *want,
                 uint64_t count, struct compare_result *out);

#endif
