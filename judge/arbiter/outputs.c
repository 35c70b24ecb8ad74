#include "arbiter/outputs.h"

struct compare_rule
outputs_rule(const struct problem *problem, int param, bool benchmark)
{
    const struct param *p = &problem->param[param];
    struct tolerance own = benchmark ? p->benchmark_tolerance : p->tolerance;
    struct tolerance general =
        benchmark ? problem->benchmark_tolerance : problem->tolerance;
    struct tolerance t = p->has_tolerance ? own : general;

    return (struct compare_rule){.dtype = (uint8_t)p->type,
                                 .exact = t.mode == COMPARE_EXACT,
                                 .atol = t.atol,
                                 .rtol = t.rtol};
}

int
outputs_compare(struct device *d, const struct call_set *set, const struct answer *a,
                bool benchmark, struct outputs_finding *out, struct report *r)
{
    const struct problem *problem = set->problem;

    *out = (struct outputs_finding){.param = -1};
    for (int i = 0; i < problem->param_count; i++) {
        const struct compare_rule rule = outputs_rule(problem, i, benchmark);

        if (!param_is_output(&problem->param[i]))
            continue;
        if (device_compare(d, set->copy[i], a->known->buffer[i], set->extent[i].count,
                           &rule, &out->result, r) != 0)
            return -1;
        if (out->result.wrong != 0) {
            out->param = i;
            return 0;
        }
    }
    return 0;
}
