#include "daemon/slurm/plan.h"

static int
smaller(int a, int b)
{
    return a < b ? a : b;
}

struct slurm_plan
slurm_plan_make(const struct slurm_facts *f)
{
    const int have = f->pending + f->running;
    const size_t needed = f->waiting / SLURM_SUBMISSIONS_PER_PILOT +
                          (f->waiting % SLURM_SUBMISSIONS_PER_PILOT > 0);
    const int wanted = needed < (size_t)f->limit ? (int)needed : f->limit;

    if (have > f->limit) /* as after a restart with another limit */
        return (struct slurm_plan){.cancel = smaller(f->pending, have - f->limit)};
    if (f->waiting == 0 || f->stopping)
        return (struct slurm_plan){.cancel = f->pending};
    if (f->held || wanted <= have)
        return (struct slurm_plan){0};
    return (struct slurm_plan){.start = smaller(wanted - have, SLURM_STARTS_AT_ONCE)};
}
