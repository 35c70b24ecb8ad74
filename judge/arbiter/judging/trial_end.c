/* Judges how a call ended that has no outputs to compare, and whose fault that is. */
#include "arbiter/judging/trial_end.h"

#include "arbiter/judging/explain.h"
#include "arbiter/judging/findings.h"
#include "base/file.h"
#include "emulator/emulator.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Limits in used time (meter.h). */
#define START_EMU_MS 10000 /* TRIAL_START_MS for emu, which has no driver */
#define ARM_MS 10000       /* for a runner that is up: mapping, and reading arguments */

/* How often, and in what steps, the emulated GPU is asked whether a launch has stopped.
 * The thread that executes launches answers, so that a busy machine gets no fewer tries.
 */
#define INTERRUPT_QUESTIONS 200
#define INTERRUPT_STEP_MS 5
#define CUDA_ERROR_MEMORY_ALLOCATION 2 /* cudaErrorMemoryAllocation */

static uint64_t
arm_ms(struct judgement *j)
{
    const uint64_t left_ms = budget_left_ms(j);
    uint64_t ms = device_clock_modelled(j->device) ? START_EMU_MS : TRIAL_START_MS;

    if (j->runner_is_up)
        ms = ARM_MS;
    return left_ms < ms ? left_ms : ms;
}

int
trial_arm(struct judgement *j, const struct trial *t, enum runner_event *event,
          struct runner_reply *reply, struct report *r)
{
    const struct meter_use before = runner_link_use(j->runner);
    const int rc = call_set_arm(t->set, j->runner, t->attach, arm_ms(j), event, reply, r);

    budget_add_arming(j, &before);
    return rc;
}

/* Is this a fault that a submission may cause on purpose and recover from, by asking for
 * more than there is? Other faults leave the context of a GPU unusable. */
static bool
fault_is_recoverable(const struct fault *f)
{
    return f->kind == FAULT_LAUNCH_CONFIG || f->kind == FAULT_OUT_OF_RESOURCES ||
           f->kind == FAULT_OUT_OF_MEMORY;
}

static enum verdict
fault_verdict(const struct fault *f)
{
    switch (f->kind) {
    case FAULT_BUDGET:
    case FAULT_INTERRUPTED:
        return VERDICT_TIME_LIMIT;
    case FAULT_OUT_OF_MEMORY:
    case FAULT_PROCESS_MEMORY:
        return VERDICT_MEMORY_LIMIT;
    default:
        return VERDICT_RUNTIME_ERROR;
    }
}

/* Gives the verdict for a budget that the emulated GPU held: a launch's, or the call's,
 * or that of all calls. */
static void
judge_budget(struct judgement *j, const struct trial *t, const struct fault *f)
{
    if (budget_work_is_spent(j))
        budget_exceeded(j, t->where, f->text);
    else
        outcome_set(&j->outcome, VERDICT_TIME_LIMIT,
                    "%s: %s. That is the emulator's budget for one launch, not a GPU's",
                    t->where, f->text);
}

int
trial_judge_fault(struct judgement *j, const struct trial *t, bool failed,
                  struct report *r)
{
    struct fault f;
    int rc = device_fault(j->device, &f, r);

    if (rc <= 0)
        return rc;
    if (fault_is_notice(f.kind) || (!failed && fault_is_recoverable(&f)))
        return 0;
    if (j->outcome.verdict == VERDICT_ACCEPTED)
        findings_add_fault(&j->outcome, &f);
    if (f.kind == FAULT_BUDGET)
        judge_budget(j, t, &f);
    else
        outcome_set(&j->outcome, fault_verdict(&f), "%s: %s", t->where, f.text);
    judgement_doubt(
        j); /* on a GPU the only fault is that it was kept, which is doubtful */
    return 1;
}

char *
trial_hint(struct judgement *j, struct report *r)
{
    struct fault f;
    int rc = device_fault(j->device, &f, r);

    if (rc < 0)
        return NULL;
    return rc > 0 && fault_is_notice(f.kind) ? xasprintf(". A hint: %s", f.text)
                                             : xstrdup("");
}

/* Judges a submission that did not get ready for the call. */
static int
judge_unready(struct judgement *j, const struct trial *t)
{
    const struct meter_use use = meter_since(&j->budget.after, &j->budget.before);
    char text[200];

    meter_text(&use, device_clock_modelled(j->device), text, sizeof text);
    if (j->runner_is_up)
        outcome_set(&j->outcome, VERDICT_TIME_LIMIT,
                    "%s could not begin: the program did not answer, as if the call "
                    "before had not ended, and used up %s",
                    t->where, text);
    else
        outcome_set(&j->outcome, VERDICT_TIME_LIMIT,
                    "the program was not ready for %s, before any call of solve, and "
                    "used up %s: does a constructor, or what initialises a global "
                    "variable, not end?",
                    t->where, text);
    return 0;
}

/* Judges a call that did not end in time. Its launch, which is told to stop, does so a
 * little later. */
static int
judge_late(struct judgement *j, const struct trial *t, struct report *r)
{
    const struct timespec step = {.tv_nsec = INTERRUPT_STEP_MS * 1000000L};
    struct fault f;
    int rc = 0;

    if (device_interrupt(j->device, r) != 0)
        return -1;
    for (int i = 0; i < INTERRUPT_QUESTIONS; i++) {
        rc = device_fault(j->device, &f, r);
        if (rc > 0 && fault_is_notice(f.kind))
            rc = 0; /* a notice does not tell where the launch is */
        if (rc != 0 || !device_clock_modelled(j->device))
            break;
        (void)nanosleep(&step, NULL);
    }
    if (rc < 0)
        return -1;
    budget_exceeded(j, t->where, rc > 0 ? f.text : NULL);
    return 0;
}

static int
judge_end(struct judgement *j, const struct trial *t, struct report *r)
{
    struct runner_exit ended;
    int rc = trial_judge_fault(j, t, true, r);
    char *signal_text;

    if (rc != 0)
        return rc < 0 ? -1 : 0;
    (void)device_set_keeper(j->device, -1, 0, NULL); /* cannot fail */
    runner_link_stop(j->runner, &ended);
    if (ended.out_of_memory) {
        outcome_set(&j->outcome, VERDICT_MEMORY_LIMIT,
                    "the program used more than %d GiB of the host's memory during %s",
                    RUNNER_MEMORY_GIB, t->where);
        return 0;
    }
    switch (ended.end) {
    case SANDBOX_EXITED:
        outcome_set(&j->outcome, VERDICT_RUNTIME_ERROR,
                    "the program exited with status %d during %s", ended.code, t->where);
        return 0;
    case SANDBOX_SIGNALED:
        signal_text = explain_signal(ended.code);
        if (ended.code == SIGXCPU)
            outcome_set(&j->outcome, VERDICT_TIME_LIMIT,
                        "the program used up its CPU time during %s", t->where);
        else if (ended.code == SIGXFSZ)
            outcome_set(&j->outcome, VERDICT_OUTPUT_LIMIT,
                        "the program wrote too large a file during %s", t->where);
        else
            outcome_set(&j->outcome, VERDICT_RUNTIME_ERROR,
                        "the program was ended by %s during %s", signal_text, t->where);
        /* None of our programs has sent SIGKILL. The kernel may have, for want of memory
         * that is not this submission's fault. */
        j->outcome.may_retry = ended.code == SIGKILL && j->job.attempt == 1;
        free(signal_text);
        return 0;
    default:
        return report_fail(r, "the runner's sandbox failed during %s", t->where);
    }
}

int
trial_judge_status(struct judgement *j, const struct trial *t,
                   const struct runner_reply *reply, struct report *r)
{
    struct buf text = {0};
    int rc = trial_judge_fault(j, t, true, r);

    if (rc != 0)
        return rc < 0 ? -1 : 0;
    explain_untrusted(&text, reply->text, strlen(reply->text), RUNNER_TEXT_MAX);
    if (reply->status == RUNNER_UNLOADABLE)
        outcome_set(&j->outcome, VERDICT_RUNTIME_ERROR,
                    "the program cannot be loaded: %s", buf_str(&text));
    else if (reply->status == CUDA_ERROR_MEMORY_ALLOCATION)
        outcome_set(&j->outcome, VERDICT_MEMORY_LIMIT, "out of device memory in %s (%s)",
                    t->where, buf_str(&text));
    else
        outcome_set(&j->outcome, VERDICT_RUNTIME_ERROR, "CUDA error %d (%s) in %s",
                    reply->status, buf_str(&text), t->where);
    buf_free(&text);
    return 0;
}

int
trial_judge_event(struct judgement *j, const struct trial *t, bool released,
                  enum runner_event event, struct report *r)
{
    switch (event) {
    case RUNNER_ANSWERED:
        return 0;
    case RUNNER_ENDED:
        return judge_end(j, t, r);
    case RUNNER_LATE:
        return released ? judge_late(j, t, r) : judge_unready(j, t);
    case RUNNER_STARVED:
        return report_fail(r,
                           "this machine's CPUs are so busy that the program got next "
                           "to none of their time during %s",
                           t->where);
    case RUNNER_LIED:
        outcome_set(
            &j->outcome, VERDICT_DISQUALIFIED,
            "%s: the program wrote to, or closed, the channel that its runner and "
            "the judge talk through",
            t->where);
        return 0;
    case RUNNER_FLOODED:
        outcome_set(&j->outcome, VERDICT_OUTPUT_LIMIT,
                    "the program printed more than %zu MiB by %s",
                    RUNNER_OUTPUT_MAX >> 20, t->where);
        return 0;
    }
    return report_fail(r, "a runner event %d is not known", (int)event);
}
