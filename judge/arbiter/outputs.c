#include "arbiter/outputs.h"

#include <string.h>

struct compare_rule
outputs_rule(const struct problem *problem, int param, bool benchmark)
{
    const struct tolerance t = problem_tolerance(problem, param, benchmark);

    return (struct compare_rule){.dtype = (uint8_t)problem->param[param].type,
                                 .exact = t.mode != COMPARE_CLOSE,
                                 .atol = t.atol,
                                 .rtol = t.rtol};
}

/* What the checker says of the outputs that are its business. */
static int
ask_checker(const struct call_set *set, const struct answer *a, bool benchmark,
            struct outputs_finding *out, struct report *r)
{
    struct checker_finding found;

    if (checker_run(a->checker, set, a->known, a->seed, benchmark, &found, r) != 0)
        return -1;
    out->param = found.param;
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
        const struct compare_rule rule = outputs_rule(problem, i, benchmark);

        if (!param_is_output(&problem->param[i]))
            continue;
        if (problem_tolerance(problem, i, benchmark).mode == COMPARE_CHECKER) {
            asks = true;
            continue;
        }
        if (device_compare(d, set->copy[i], a->known->buffer[i], set->extent[i].count,
                           &rule, &out->result, r) != 0)
            return -1;
        if (out->result.wrong != 0) {
            out->param = i;
            return 0;
        }
    }
    return asks ? ask_checker(set, a, benchmark, out, r) : 0;
}
