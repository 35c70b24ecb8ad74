/* Is an output right, and if not, what is wrong with it first. */
#ifndef CORE_COMPARE_H
#define CORE_COMPARE_H

#include <stdint.h>

struct compare_rule {
    uint8_t dtype; /* enum dtype */
    uint8_t exact; /* 1: COMPARE_EXACT of core/problem.h; atol and rtol are not read */
    double atol, rtol;
    double ulp; /* not 0: as many units in the last place of `want`, instead of both */
};

struct compare_result {
    uint64_t wrong;       /* elements that differ by more than the rule allows */
    uint64_t nan, inf;    /* of the wrong ones: got is NaN, got is infinite */
    uint64_t first;       /* flat index of the first wrong element; UINT64_MAX: none */
    double max_abs_error; /* over wrong finite elements; 0 if none */
};

/* Right iff !(|got - want| > atol + rtol * |want|) written so that NaN fails; see
 * compare_fn.h, which the host and the arbiter's compare kernel share. */
void compare_run(const struct compare_rule *rule, const void *got, const void *want,
                 uint64_t count, struct compare_result *out);

#endif
