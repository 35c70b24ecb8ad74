/* Takes a submission through its judgement, phase by phase. main.c has the theory of
 * operation. */
#include "arbiter/phases.h"

#include "arbiter/calling/gpu_lock.h"
#include "arbiter/functional_tests.h"
#include "arbiter/judging/blame.h"
#include "arbiter/judging/call_costs.h"
#include "arbiter/judging/findings.h"
#include "arbiter/judging/notices.h"
#include "arbiter/judging/own_answer.h"
#include "arbiter/judging/progress.h"
#include "arbiter/measuring/capacity.h"
#include "arbiter/measuring/timing.h"
#include "arbiter/profiling/device_profile.h"
#include "arbiter/profiling/device_sanitize.h"
#include "base/file.h"

#include <stdlib.h>

static int
load_submission(struct judgement *j, struct report *r)
{
    char *object = xasprintf("%s/submission", j->folder);
    int rc = memory_watch_start(&j->memory, j->device, r);

    budget_begin(j);
    device_forget_refused(j->device); /* whom this one followed may have had it */
    if (rc == 0)
        rc = runner_link_load(j->runner, object, r);
    if (rc == 0)
        rc = device_set_keeper(j->device, runner_link_pidfd(j->runner), JUDGEMENT_KEPT_MS,
                               r);
    j->loaded = rc == 0;
    runner_link_stay_awake(j->runner, 0); /* the empty calls had it so, too */
    free(object);
    return rc;
}

/* On emu ptxas works while the tests run. This waits for it: what it refuses has no
 * verdict of ours. */
static int
assembly_wait(struct judgement *j, struct report *r)
{
    if (j->assembled || !device_clock_modelled(j->device))
        return 0;
    if (!progress_wait_for("assembled")) {
        j->unwanted = true;
        return report_fail(r, "nobody wants this result any more");
    }
    j->assembled = true;
    return 0;
}

/* Tells the model of the registers that ptxas gives the submission's kernels. */
static int
assembly_tell(const struct judgement *j, struct report *r)
{
    char *path = xasprintf("%s/" ASSEMBLY_FILE, j->folder);
    int rc =
        device_clock_modelled(j->device) ? device_set_assembly(j->device, path, r) : 0;

    free(path);
    return rc;
}

/* The tests beyond the source's cases come after the timed calls, which they may not
 * disturb, and before the end of the runner that makes them. */
static int
run_timed(struct judgement *j, struct report *r)
{
    if (timing_run(j, r) != 0)
        return -1;
    if (j->outcome.verdict == VERDICT_ACCEPTED && functional_tests_run_beyond(j, r) != 0)
        return -1;
    if (j->result.timing.present)
        timing_end(j);
    return 0;
}

static int
run_phases(struct judgement *j, struct report *r)
{
    /* The reference has no answer to a case of the user's own. */
    if (j->outcome.verdict != VERDICT_ACCEPTED)
        return 0;
    /* What ends the runner before the submission is loaded is not the submission's
     * fault. */
    if (timing_begin(j, r) != 0 || (j->follows && before_alone(j, r) != 0) ||
        runner_link_wake(j->runner, r) != 0)
        return -1;
    gpu_lock_allow_contexts(j->gpu_lock);
    if (load_submission(j, r) != 0)
        return -1;
    if (functional_tests_run(j, r) != 0 || notices_take(j, r) != 0 ||
        assembly_wait(j, r) != 0)
        return -1;
    if (j->outcome.verdict == VERDICT_ACCEPTED && assembly_tell(j, r) != 0)
        return -1;
    if (j->outcome.verdict == VERDICT_ACCEPTED && !j->job.sample_tests_only)
        return run_timed(j, r);
    if (blame_settle_memory(j, r) != 0)
        return -1;
    if (j->outcome.verdict != VERDICT_ACCEPTED || j->own != NULL)
        return 0;
    if (device_clock_modelled(j->device))
        return costs_run(j, r);
    if (j->job.profile == PROFILE_COSTS)
        return device_profile_run(j, r);
    if (j->job.profile == PROFILE_SANITIZE)
        return device_sanitize_run(j, r);
    return 0;
}

/* May the next submission be prepared beside this judgement? A second attempt has the GPU
 * to itself, so that no neighbour can make it fail as well. So has a profile, whose
 * counters are the whole GPU's. */
static bool
may_have_neighbour(const struct judgement *j)
{
    return j->gpu_lock != NULL && j->job.attempt == 1 && j->job.profile == PROFILE_NONE &&
           capacity_beside(j->problem, j->device);
}

/* Has a submission judged once more that was short of memory beside a neighbour, since
 * the neighbour may have held that memory. */
static void
excuse_shortage(struct judgement *j)
{
    uint64_t held_bytes;

    if (j->outcome.verdict == VERDICT_MEMORY_LIMIT && j->job.attempt == 1 &&
        gpu_lock_neighbour(j->gpu_lock, &held_bytes))
        j->outcome.may_retry = true;
}

/* Was nothing odd about this judgement? What a submission broke may be more than shows.
 * So after any verdict but these two the next judgement gets a new arbiter. */
static bool
has_ended_well(const struct judgement *j)
{
    return (j->outcome.verdict == VERDICT_ACCEPTED ||
            j->outcome.verdict == VERDICT_WRONG_ANSWER) &&
           !j->outcome.may_retry && !j->lacks_memory && j->job.attempt == 1;
}

bool
judgement_was_prepared_well(const struct judgement *j)
{
    return !j->loaded && j->outcome.verdict == VERDICT_ACCEPTED && j->job.attempt == 1;
}

int
judgement_run(struct judgement *j, struct report *r)
{
    gpu_lock_begin(j->gpu_lock, j->follows);
    j->follows = j->follows || gpu_lock_follows(j->gpu_lock);
    if (before_submission(j, r) != 0)
        return -1;
    if (may_have_neighbour(j))
        progress_neighbour_may_start();
    if (run_phases(j, r) != 0 && (j->unwanted || blame_submission(j, r) != 0))
        return -1;
    if (assembly_wait(j, r) != 0)
        return -1;
    excuse_shortage(j);
    judgement_stop_runner(j); /* it could keep the arbiter before from ending */
    gpu_lock_end(j->gpu_lock);
    if (leftovers_check(j, r) != 0)
        return -1;
    gpu_lock_ends_well(j->gpu_lock);
    j->ended_well = has_ended_well(j);
    j->result.verdict = j->outcome.verdict;
    j->result.may_retry = j->outcome.may_retry;
    j->result.message = xstrdup(j->outcome.message != NULL ? j->outcome.message : "");
    j->result.findings = findings_text(&j->outcome);
    return 0;
}

/* May an arbiter that stays keep the reference? One that works on much data may have
 * taken much memory, too. */
static bool
keeps_reference(const struct judgement *j)
{
    return j->stock != NULL && j->ended_well && j->reference != NULL &&
           capacity_beside(j->problem, j->device);
}

void
judgement_close(struct judgement *j)
{
    struct reference *kept = keeps_reference(j) ? j->reference : NULL;

    if (kept != NULL)
        j->reference = NULL; /* so that its process goes on */
    judgement_end_processes(j);
    timing_free(j->timing);
    for (int i = 0; j->answer != NULL && i < j->problem->test_count; i++)
        answer_free(&j->answer[i]);
    free(j->answer);
    for (int i = 0; i < j->timed_count; i++)
        answer_free(&j->timed[i]);
    free(j->timed);
    reference_close(j->reference);
    stock_keep_reference(j->stock, kept);
    stock_keep(j->ended_well ? j->stock : NULL, &j->job, j->device);
    gpu_lock_close(j->gpu_lock);
    problem_free(j->problem);
    own_case_close(j);
    outcome_free(&j->outcome);
    memory_watch_free(&j->memory);
    result_free(&j->result);
    job_free(&j->job);
    config_free(&j->config);
    free(j->gpu_program);
    free(j->runner_program);
    free(j->null_object);
    free(j->hidden);
    free(j->empty);
    *j = (struct judgement){0};
}
