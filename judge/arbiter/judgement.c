/* The tests, and what frames them and the timed runs: see main.c for the whole story. */
#include "arbiter/judgement.h"

#include "arbiter/costs.h"
#include "arbiter/explain.h"
#include "arbiter/notices.h"
#include "arbiter/progress.h"
#include "arbiter/quiet.h"
#include "arbiter/room.h"
#include "arbiter/timing.h"
#include "arbiter/trial.h"
#include "base/file.h"
#include "base/inject.h"
#include "emulator/emulator.h"

#include <stdlib.h>

/* The card owes us next to nothing while the submission's process waits for its call. */
#define KEPT_MS 10000

/* Of what a program prints in one test, `run` shows this many bytes. */
#define SHOWN_OUTPUT_MAX 2048

/* --- tests ----------------------------------------------------------------- */

static int
load(struct judgement *j, struct report *r)
{
    char *object = xasprintf("%s/submission", j->folder);
    int rc = memory_watch_start(&j->memory, j->device, r);

    budget_begin(j);
    if (rc == 0)
        rc = runner_link_load(j->runner, object, r);
    if (rc == 0)
        rc = device_set_keeper(j->device, runner_link_pidfd(j->runner), KEPT_MS, r);
    j->loaded = rc == 0;
    runner_link_stay_awake(j->runner, 0); /* as it was for the empty calls */
    free(object);
    return rc;
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
    (void)device_set_keeper(j->device, -1, KEPT_MS, NULL); /* cannot fail */
    runner_link_stop(j->runner, &ended);
    j->survivors = j->survivors || ended.survived || inject(INJECT_SURVIVOR);
    runner_link_free(j->runner);
    j->runner = NULL;
    j->loaded = j->runner_is_up = false;
}

/* One line of `warpjudge run`: "A = [1, 2, 3]". */
static int
add_values(struct buf *out, struct device *d, const char *label, const struct param *p,
           const struct extent *e, const struct device_buffer *b, struct report *r)
{
    uint64_t values[EXPLAIN_VALUES_MAX]; /* large enough for every type */
    uint64_t count = e->count < EXPLAIN_VALUES_MAX ? e->count : EXPLAIN_VALUES_MAX;

    if (device_read(d, b, 0, count * dtype_size(p->type), values, r) != 0)
        return -1;
    buf_printf(out, "%s%s = ", label, p->name);
    explain_values(out, p->type, e, values, count);
    buf_puts(out, "\n");
    return 0;
}

/* What the program printed during one test: printf is a learner's debugger. */
static void
add_output(struct buf *out, struct judgement *j, size_t printed_before)
{
    const struct buf *said = runner_link_output(j->runner);

    if (said->len > printed_before) {
        buf_puts(out, "printed:\n");
        explain_untrusted(out, said->data + printed_before, said->len - printed_before,
                          SHOWN_OUTPUT_MAX);
    }
}

/* Inputs, outputs, expected outputs and printed text of a sample, for a person. */
static int
describe_sample(struct judgement *j, const struct trial *t, size_t printed_before,
                char **detail, struct report *r)
{
    const struct problem *problem = j->problem;
    const struct call_set *set = t->set;
    const struct answer *a = t->answer;
    const bool has_outputs = j->outcome.verdict == VERDICT_ACCEPTED ||
                             j->outcome.verdict == VERDICT_WRONG_ANSWER;
    struct buf out = {0};
    int rc = 0;

    for (int i = 0; i < problem->param_count && rc == 0; i++) {
        const struct param *p = &problem->param[i];

        if (p->dir == DIR_IN)
            rc = add_values(&out, j->device, "", p, &set->extent[i], a->known->buffer[i],
                            r);
    }
    for (int i = 0; i < problem->param_count && rc == 0; i++) {
        const struct param *p = &problem->param[i];

        if (!param_is_output(p))
            continue;
        if (has_outputs)
            rc = add_values(&out, j->device, "", p, &set->extent[i], set->copy[i], r);
        if (rc == 0)
            rc = add_values(&out, j->device, "expected ", p, &set->extent[i],
                            a->known->buffer[i], r);
    }
    add_output(&out, j, printed_before);
    if (rc == 0)
        *detail = buf_take(&out);
    buf_free(&out);
    return rc;
}

static int
run_test(struct judgement *j, int index, struct test_result *out, struct report *r)
{
    struct call_set set = {0};
    char *sizes = problem_sizes_text(j->problem, &j->problem->test[index]);
    char *where = xasprintf("test %d (%s)", index + 1, sizes);
    const struct trial trial = {.set = &set,
                                .answer = &j->answer[index],
                                .where = where,
                                .attach = true,
                                .watched = true};
    struct trial_result result;
    const size_t printed_before = runner_link_output(j->runner)->len;
    int rc = -1;

    if (call_set_alloc(&set, j->device, j->problem, &j->problem->test[index], true, r) ==
            0 &&
        call_set_alloc_copies(&set, r) == 0) {
        set.slot = timing_slots(j->timing);
        rc = trial_run(j, &trial, &result, r);
    }
    if (rc == 0) {
        *out = (struct test_result){
            .number = index + 1, .verdict = j->outcome.verdict, .sizes = sizes};
        sizes = NULL;
        if (j->job.sample_tests_only)
            rc = describe_sample(j, &trial, printed_before, &out->detail, r);
    }
    call_set_free(&set);
    answer_free(&j->answer[index]);
    free(where);
    free(sizes);
    return rc;
}

bool
judgement_runs(const struct judgement *j, int test)
{
    return !j->job.sample_tests_only || j->problem->test[test].sample_test;
}

static int
run_tests(struct judgement *j, struct report *r)
{
    int of = 0;

    for (int i = 0; i < j->problem->test_count; i++)
        of += judgement_runs(j, i);
    if (of == 0)
        return report_fail(r, "the problem %s has no sample tests to run",
                           j->problem->slug);
    j->result.test = xcalloc((size_t)of, sizeof *j->result.test);
    for (int i = 0; i < j->problem->test_count; i++) {
        if (!judgement_runs(j, i))
            continue;
        if (run_test(j, i, &j->result.test[j->result.test_count], r) != 0)
            return -1;
        j->result.test_count++;
        progress("test", j->result.test_count, of);
        if (j->outcome.verdict != VERDICT_ACCEPTED)
            break;
    }
    return 0;
}

/* --- all of it ------------------------------------------------------------- */

static int
run_phases(struct judgement *j, struct report *r)
{
    /* Whatever ends the process before it is loaded is not the submission's fault. */
    if (timing_begin(j, r) != 0 || runner_link_wake(j->runner, r) != 0 ||
        load(j, r) != 0 || run_tests(j, r) != 0 || notices_take(j, r) != 0)
        return -1;
    if (j->outcome.verdict == VERDICT_ACCEPTED && !j->job.sample_tests_only)
        return timing_run(j, r);
    if (memory_watch_settle(j, r) != 0)
        return -1;
    if (j->outcome.verdict == VERDICT_ACCEPTED && device_clock_modelled(j->device))
        return costs_run(j, r);
    return 0;
}

/* If we were refused device memory that is there once the submission's process is gone,
 * then it was the submission that held it. */
static int
blame_memory(struct judgement *j)
{
    int gpu;
    const uint64_t bytes = device_refused(j->device, &gpu);
    struct report ignored = {0};
    struct device_buffer *b;

    if (bytes == 0)
        return -1;
    judgement_stop_runner(j);
    if (device_alloc_on(j->device, gpu, bytes, false, &b, &ignored) != 0)
        return -1;
    device_free(j->device, b);
    outcome_set(&j->outcome, VERDICT_MEMORY_LIMIT,
                "the program keeps so much device memory that none is left for the "
                "buffers of the next call: it must free what it allocates");
    return 0;
}

/* The same where it was the reference, or the driver, that was short: then what was seen
 * of the submission's calls says whether it had too much. */
static int
blame_use(struct judgement *j)
{
    struct report ignored = {0};

    return memory_watch_settle(j, &ignored) == 0 && j->outcome.verdict != VERDICT_ACCEPTED
               ? 0
               : -1;
}

/* The same where nothing was seen, since memory can come and go between two looks: if the
 * reference says that it was short, and is not once the submission's process is gone.
 * Without its word it may be a reference that fails at times. Who else on the card may
 * have had the memory is not known: so it must happen twice, the second time alone. */
static int
blame_shortage(struct judgement *j)
{
    struct report ignored = {0};

    /* On emu each of the two has a GPU of its own. */
    if (!reference_was_short(j->reference) || device_clock_modelled(j->device))
        return -1;
    judgement_stop_runner(j);
    if (reference_try_again(j->reference, &ignored) != 0)
        return -1;
    outcome_set(&j->outcome, VERDICT_MEMORY_LIMIT,
                "the program keeps so much device memory between two calls that the "
                "judge's reference cannot compute the next one's answer, as it can "
                "without the program: it must free what it allocates");
    j->outcome.may_retry = j->job.attempt == 1;
    return 0;
}

/* The submission's process kept the card, and was ended for that. */
static int
blame_kept(struct judgement *j)
{
    struct report ignored = {0};
    struct fault f;

    if (device_fault(j->device, &f, &ignored) != 1 || f.kind != FAULT_INTERRUPTED)
        return -1;
    outcome_set(&j->outcome, VERDICT_TIME_LIMIT, "%s", f.text);
    judgement_doubt(j);
    return 0;
}

/* We failed: was that the submission's doing? Whoever lacked memory did so just now: that
 * is when to look who has it. But what a reference had that has ended may be on its way
 * back, and would seem to be the submission's. */
static int
blame_submission(struct judgement *j, struct report *r)
{
    struct report ignored = {0};

    if (!j->loaded)
        return -1;
    if (blame_kept(j) == 0) {
        *r = (struct report){0};
        return 0;
    }
    if (!reference_ended(j->reference))
        (void)memory_watch_between_calls(&j->memory, j->device, j->problem->memory_limit,
                                         &ignored);
    if (blame_memory(j) != 0 && blame_use(j) != 0 && blame_shortage(j) != 0)
        return -1;
    *r = (struct report){0};
    return 0;
}

/* A second attempt has the card to itself, so that no neighbour can be the reason why it
 * fails as well. */
static bool
may_have_neighbour(const struct judgement *j)
{
    return j->quiet != NULL && j->job.attempt == 1 && room_beside(j->problem, j->device);
}

/* A neighbour's memory may be what the submission was short of. */
static void
excuse_shortage(struct judgement *j)
{
    uint64_t held_bytes;

    if (j->outcome.verdict == VERDICT_MEMORY_LIMIT && j->job.attempt == 1 &&
        quiet_neighbour(j->quiet, &held_bytes))
        j->outcome.may_retry = true;
}

int
judgement_run(struct judgement *j, struct report *r)
{
    quiet_begin(j->quiet);
    if (before_submission(&j->before, j->device, r) != 0)
        return -1;
    if (may_have_neighbour(j))
        progress_room();
    if (run_phases(j, r) != 0 && blame_submission(j, r) != 0)
        return -1;
    excuse_shortage(j);
    judgement_stop_runner(j); /* it could keep who judged before from leaving */
    quiet_end(j->quiet);
    if (aftermath_check(j, r) != 0)
        return -1;
    j->result.verdict = j->outcome.verdict;
    j->result.may_retry = j->outcome.may_retry;
    j->result.message = xstrdup(j->outcome.message != NULL ? j->outcome.message : "");
    return 0;
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

void
judgement_close(struct judgement *j)
{
    judgement_end_processes(j);
    timing_free(j->timing);
    for (int i = 0; j->answer != NULL && i < j->problem->test_count; i++)
        answer_free(&j->answer[i]);
    free(j->answer);
    for (int i = 0; i < j->timed_count; i++)
        answer_free(&j->timed[i]);
    free(j->timed);
    reference_close(j->reference);
    device_close(j->device);
    quiet_close(j->quiet);
    problem_free(j->problem);
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
