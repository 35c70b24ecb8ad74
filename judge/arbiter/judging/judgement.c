#include "arbiter/judging/judgement.h"

#include "base/inject.h"

bool
judgement_runs(const struct judgement *j, int test)
{
    return !j->job.sample_tests_only || j->problem->test[test].sample_test;
}

bool
judgement_is_measured(const struct judgement *j)
{
    return !device_clock_modelled(j->device) && !j->job.sample_tests_only;
}

void
judgement_doubt(struct judgement *j)
{
    j->outcome.may_retry = j->outcome.may_retry ||
                           (j->job.attempt == 1 && !device_clock_modelled(j->device));
}

void
judgement_stop_runner(struct judgement *j)
{
    struct runner_exit ended;

    if (j->runner == NULL)
        return;
    (void)device_set_keeper(j->device, -1, JUDGEMENT_KEPT_MS, NULL); /* cannot fail */
    runner_link_stop(j->runner, &ended);
    j->survivors = j->survivors || ended.survived || inject(INJECT_SURVIVOR);
    runner_link_free(j->runner);
    j->runner = NULL;
    j->loaded = j->runner_is_up = false;
}

void
judgement_end_processes(struct judgement *j)
{
    runner_link_kill(j->runner);
    if (j->reference != NULL)
        reference_kill(j->reference);
    runner_link_free(j->runner);
    j->runner = NULL;
    if (j->reference != NULL)
        reference_end_processes(j->reference);
}
