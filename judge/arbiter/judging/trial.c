/*
 * One call. The order of its steps is the whole defence:
 *
 *   [timed on emu: the clock starts]        where that of the timed call before ended:
 *                                           the model counts only the submission's work
 *   fill the inputs, poison the outputs     no process but ours runs for this call yet
 *   arm: the runner maps and blocks         READY is only a hint when to go on
 *   release, wait for DONE                  DONE is only a hint when to look
 *   copy the outputs away                   from here on nothing it does counts
 *   [timed on emu: the clock stops]
 *   compare the inputs, compare the copies
 *
 * In a call that is timed on a GPU, the submission could work on what it finds before the
 * clock starts. So the order is another one:
 *
 *   arm                                     nothing of this call is in the buffers yet
 *   [buffers in host memory: the process is stopped]
 *   fill, poison, caches cold, hold         queued as one: the GPU does it without
 *                                           turning to another process
 *   the clock starts
 *   release, wait, copy                     in the order that release.h explains
 */
#include "arbiter/judging/trial.h"

#include "arbiter/calling/fill_watch.h"
#include "arbiter/calling/release.h"
#include "arbiter/judging/concealed.h"
#include "arbiter/judging/explain.h"
#include "arbiter/judging/findings.h"
#include "arbiter/judging/notices.h"
#include "arbiter/judging/outputs.h"
#include "arbiter/judging/surroundings.h"
#include "arbiter/judging/trial_end.h"
#include "base/file.h"
#include "emulator/emulator.h"

#include <stdlib.h>
#include <string.h>

#define CUDA_ERROR_INVALID_CONFIGURATION 9 /* cudaErrorInvalidConfiguration */

#define AWAKE_MS 100 /* in timed calls no wait sleeps before this (runner_link.h) */

struct call {
    struct judgement *j;
    const struct trial *trial;
    struct trial_result *out;
    uint64_t poison_seed;
    double bus_before; /* the count (bus_meter.h) before the call; < 0: not known */
    uint64_t limit_ms; /* solve()'s; set when the runner is armed */
    enum runner_event event;
    struct runner_reply reply;
};

/* --- comparison ------------------------------------------------------------ */

/* The integer type of the same size, with which bits are compared. */
static uint8_t
bits_type(enum dtype type)
{
    switch (dtype_size(type)) {
    case 8:
        return DTYPE_U64;
    case 4:
        return DTYPE_U32;
    case 2:
        return DTYPE_U16;
    default:
        return DTYPE_U8;
    }
}

static int
check_inputs_unchanged(struct judgement *j, const struct trial *t, struct report *r)
{
    for (int i = 0; i < j->problem->param_count; i++) {
        const struct param *p = &j->problem->param[i];
        const struct compare_rule rule = {.dtype = bits_type(p->type), .exact = 1};
        struct compare_result result;

        if (p->dir != DIR_IN)
            continue;
        if (device_compare(j->device, t->set->buffer[i], t->answer->known->buffer[i],
                           t->set->extent[i].count, &rule, &result, r) != 0)
            return -1;
        if (result.wrong != 0) {
            outcome_set(&j->outcome, VERDICT_WRONG_ANSWER,
                        "%s: the call changed its input %s, which must stay as it is "
                        "(%ju of %ju elements differ)",
                        t->where, p->name, (uintmax_t)result.wrong,
                        (uintmax_t)t->set->extent[i].count);
            return 0;
        }
    }
    return 0;
}

/* Reads the poison that an element of an output held. The poison is made again, in the
 * submission's buffer, which nobody needs any more. */
static int
read_poison(struct judgement *j, const struct trial *t, int param, uint64_t poison_seed,
            uint64_t offset, size_t size, void *was, struct report *r)
{
    if (device_poison(j->device, t->set->buffer[param],
                      call_set_poison_seed(poison_seed, param), r) != 0)
        return -1;
    return device_read(j->device, t->set->buffer[param], offset, size, was, r);
}

static int
explain_wrong(struct judgement *j, const struct trial *t,
              const struct outputs_finding *finding, uint64_t poison_seed,
              struct report *r)
{
    const int param = finding->param;
    const struct param *p = &j->problem->param[param];
    const size_t size = dtype_size(p->type);
    const uint64_t offset = finding->result.first * size;
    const bool poisoned = p->dir == DIR_OUT && p->start == START_POISON;
    uint64_t got, want, was; /* large and aligned enough for every type */
    struct mismatch m = {.where = t->where,
                         .param = p,
                         .extent = &t->set->extent[param],
                         .result = &finding->result,
                         .got = &got,
                         .want = &want,
                         .before = poisoned ? &was : NULL};
    char *text, *hint;

    if (device_read(j->device, t->set->copy[param], offset, size, &got, r) != 0 ||
        device_read(j->device, t->answer->known->buffer[param], offset, size, &want, r) !=
            0 ||
        (poisoned && read_poison(j, t, param, poison_seed, offset, size, &was, r) != 0))
        return -1;
    hint = trial_hint(j, r);
    if (hint == NULL)
        return -1;
    text = explain_mismatch(&m);
    findings_add_mismatch(&j->outcome, &m);
    outcome_set(&j->outcome, VERDICT_WRONG_ANSWER, "%s%s", text, hint);
    free(text);
    free(hint);
    return surroundings_add(j, t, finding, r);
}

/* Sets the outcome to the finding's sentence. */
static int
explain_refused(struct judgement *j, const struct trial *t,
                const struct outputs_finding *finding, struct report *r)
{
    const int param = finding->param;
    struct buf text = {0};
    char *hint = trial_hint(j, r);

    if (hint == NULL)
        return -1;
    explain_place(&text, j->problem->param[param].name, &t->set->extent[param],
                  finding->result.first);
    outcome_set(&j->outcome, VERDICT_WRONG_ANSWER, "%s: %s: %s%s", t->where,
                buf_str(&text), finding->text, hint);
    findings_add_refusal(&j->outcome, &j->problem->param[param], &t->set->extent[param],
                         finding);
    buf_free(&text);
    free(hint);
    return surroundings_add(j, t, finding, r);
}

/* Compares the outputs with the answer. A wrong copy that was queued behind the work may
 * have come between two time slices of that work. Then the outputs are copied again, the
 * new copy decides, and the interval is copied after DONE. */
static int
compare_outputs(struct call *c, struct report *r)
{
    struct judgement *j = c->j;
    const struct trial *t = c->trial;
    struct outputs_finding finding;

    if (outputs_compare(j->device, t->set, t->answer, t->benchmark, &finding, r) != 0)
        return -1;
    if (finding.param >= 0 && c->out->copied_behind) {
        c->out->copied_behind = false;
        if (call_set_take_outputs(t->set, r) != 0 ||
            device_clock_lap(j->device, &c->out->ns, r) != 0 ||
            outputs_compare(j->device, t->set, t->answer, t->benchmark, &finding, r) != 0)
            return -1;
    }
    if (finding.param < 0)
        return 0;
    if (finding.text[0] != '\0')
        return explain_refused(j, t, &finding, r);
    return explain_wrong(j, t, &finding, c->poison_seed, r);
}

/* --- the call -------------------------------------------------------------- */

/* Is the call timed by a clock, and not by a model? */
static bool
is_clocked(const struct call *c)
{
    return c->trial->timed && !device_clock_modelled(c->j->device);
}

static int
fill_inputs(struct judgement *j, const struct trial *t, struct report *r)
{
    const struct call_set *known = t->answer->known;

    for (int i = 0; i < j->problem->param_count; i++) {
        const struct param *p = &j->problem->param[i];

        /* The reference got the same inputs and has left them as they were. But it has
         * overwritten inout parameters. */
        if (p->dir == DIR_IN &&
            device_copy(j->device, t->set->buffer[i], known->buffer[i], r) != 0)
            return -1;
        if (p->dir == DIR_INOUT &&
            call_set_refill(t->set, i, known, t->answer->seed, r) != 0)
            return -1;
    }
    return 0;
}

/* Fills the submission's buffers with everything that they hold before the call. */
static int
fill_call(const struct call *c, struct report *r)
{
    if (c->trial->answer == NULL)
        return 0;
    if (fill_inputs(c->j, c->trial, r) != 0)
        return -1;
    return call_set_start_outputs(c->trial->set, c->poison_seed, r);
}

/* Fills the buffers for a call that a clock will time: then makes the caches cold and
 * holds the GPU. */
static int
fill_and_hold(const struct call *c, double *ns, struct report *r)
{
    struct device *d = c->j->device;

    if (device_clock_begin(d, r) != 0 || device_queue(d, r) != 0 ||
        fill_call(c, r) != 0 || device_flush(d, r) != 0 || release_hold(d, r) != 0)
        return -1;
    return device_clock_end(d, ns, r);
}

/* The same, and again with the same inputs while it was slow (fill_watch.h). */
static int
fill_watched(const struct call *c, struct report *r)
{
    struct trial_result *out = c->out;
    double ns = 0;

    for (int i = 0; i < FILL_TRIES; i++) {
        const long preempted = c->j->host->preemptions();

        if (i > 0 && device_let_go(c->j->device, r) != 0)
            return -1;
        if (fill_and_hold(c, &ns, r) != 0)
            return -1;
        out->fill_ns += ns;
        if (!fill_is_slow(c->trial->usual_fill_ns, ns))
            return 0;
        *(c->j->host->preemptions() == preempted ? &out->slow_fills : &out->busy_fills) +=
            1;
    }
    return 0;
}

/* Must the runner's process be stopped from before the fill to the release? A thread of
 * it could read buffers in host memory as soon as they are filled, before the clock
 * starts. The runner has been armed before it is stopped. */
static bool
stands_still(const struct call *c)
{
    const struct problem *p = c->j->problem;
    bool host = false;

    for (int i = 0; i < p->param_count; i++)
        host = host || p->param[i].space == SPACE_HOST_PINNED;
    return c->trial->timed && host;
}

/* Lets neither side sleep during the call, if the host has CPUs for that. A call that
 * only wakes the process lets both sleep, since the next call comes much later. */
static void
stay_awake(const struct call *c)
{
    const bool awake =
        !c->trial->watched && c->trial->answer != NULL && host_can_stay_awake(c->j->host);

    runner_link_stay_awake(c->j->runner, awake ? AWAKE_MS : 0);
    runner_link_use_cpu(c->j->runner, c->trial->cpu);
}

/* Stops the runner's process. 1: it is stopped. 0: it cannot be stopped, which is the
 * submission's fault. -1: we have failed. */
static int
freeze_submission(const struct call *c, struct report *r)
{
    const int rc = runner_link_freeze(c->j->runner, r);

    if (rc <= 0)
        return rc < 0 ? -1 : 1;
    if (c->trial->empty)
        return report_fail(r, "the process of the empty solve() cannot be stopped");
    outcome_set(&c->j->outcome, VERDICT_TIME_LIMIT,
                "%s: the program could not be made to wait for its inputs: a call of "
                "the system's took it more than a second",
                c->trial->where);
    return 0;
}

/* Fills the buffers and arms the runner, in the order that shows it nothing too early. */
static int
make_ready(struct call *c, struct report *r)
{
    struct judgement *j = c->j;
    const struct trial *t = c->trial;
    const bool late = is_clocked(c) || stands_still(c); /* filled when it is armed */
    uint64_t start_ns;

    if (!late && fill_call(c, r) != 0)
        return -1;
    start_ns = now_ns();
    if (trial_arm(j, t, &c->event, &c->reply, r) != 0)
        return -1;
    c->out->steps.arm_ns = now_ns() - start_ns;
    c->limit_ms = t->empty ? TRIAL_START_MS : budget_call_begin(j);
    if (!late || c->event != RUNNER_ANSWERED || c->reply.status != 0)
        return 0;
    if (t->meter != NULL)
        c->bus_before = bus_meter_before(t->meter, t->silent_bus);
    if (stands_still(c)) {
        const int rc = freeze_submission(c, r);

        if (rc <= 0)
            return rc;
    }
    return is_clocked(c) ? fill_watched(c, r) : fill_call(c, r);
}

/* Makes the call, from the release to our copy of the outputs. */
static int
run_released(struct call *c, struct report *r)
{
    struct judgement *j = c->j;
    const struct trial *t = c->trial;
    struct release release = {.set = t->set,
                              .runner = j->runner,
                              .timed = t->timed,
                              .frozen = stands_still(c),
                              .behind = t->behind,
                              .unchecked = t->empty,
                              .limit_ms = c->limit_ms,
                              .gpu_lock = t->empty ? NULL : j->gpu_lock};
    const uint64_t start_ns = now_ns();
    int rc;

    if (t->watched && memory_watch_works(&j->memory))
        release.memory = &j->memory;
    c->out->released = true;
    if (!t->empty)
        budget_call_release(j);
    rc = release_run(&release, &c->event, &c->reply, r);
    if (!t->empty)
        budget_call_end(j);
    if (rc != 0)
        return -1;
    c->out->steps.run_ns = now_ns() - start_ns;
    c->out->ns = release.ns;
    c->out->copy_ns = release.copy_ns;
    c->out->copied_behind = release.copied_behind;
    return 0;
}

/* Asks for the bytes that went over the bus in the call that has just ended. Where more
 * of ours will follow, it waits for the answer. */
static void
ask_for_bus(const struct call *c)
{
    if (c->trial->meter == NULL)
        return;
    bus_meter_ask(c->trial->meter);
    if (!c->trial->silent_bus)
        (void)bus_meter_after(c->trial->meter);
}

/* The answer; < 0: not known. */
static double
bus_since(const struct call *c)
{
    const double now = c->trial->meter != NULL ? bus_meter_after(c->trial->meter) : -1;

    return now < 0 || c->bus_before < 0 ? -1 : now - c->bus_before;
}

/* --- a submission's call --------------------------------------------------- */

/* May the only failure be a launch that CUDA refused for its grid, such as one of 0
 * blocks? Such a launch does not run, and the context is as good as before. */
static bool
is_launch_refused(const struct call *c)
{
    return c->out->released && !c->trial->timed &&
           c->reply.status == CUDA_ERROR_INVALID_CONFIGURATION;
}

/* A refused launch whose work was not needed, such as N / 2 blocks for N = 1, becomes a
 * notice and changes no verdict. 1: the outputs are right all the same. */
static int
pardon_launch(const struct call *c, struct report *r)
{
    struct judgement *j = c->j;
    const struct trial *t = c->trial;
    struct outputs_finding finding;
    struct buf why = {0};
    char *text;
    int rc = trial_judge_fault(j, t, false, r);

    if (rc != 0)
        return rc < 0 ? -1 : 0;
    if (call_set_take_outputs(t->set, r) != 0 ||
        outputs_compare(j->device, t->set, t->answer, t->benchmark, &finding, r) != 0)
        return -1;
    if (finding.param >= 0)
        return 0;
    explain_untrusted(&why, c->reply.text, strlen(c->reply.text), RUNNER_TEXT_MAX);
    text = xasprintf("%s: %s. The outputs are right without that launch", t->where,
                     buf_str(&why));
    notices_add(j, "refused_launch", text);
    free(text);
    buf_free(&why);
    return 1;
}

/* Starts the clock that counts modelled time. Between two timed calls it does not stand:
 * what a thread of the submission has the device do there is in the later one's time. */
static int
begin_modelled(const struct call *c, struct report *r)
{
    if (!c->trial->follows)
        return device_clock_begin(c->j->device, r);
    device_clock_resume(c->j->device);
    return 0;
}

static int
run_submission(struct call *c, struct report *r)
{
    struct judgement *j = c->j;
    const struct trial *t = c->trial;
    uint64_t start_ns;
    int rc;

    if (t->timed && device_clock_modelled(j->device) && begin_modelled(c, r) != 0)
        return -1;
    if (is_clocked(c))
        stay_awake(c);
    start_ns = now_ns();
    if (make_ready(c, r) != 0)
        return -1;
    c->out->steps.fill_ns = now_ns() - start_ns - c->out->steps.arm_ns;
    if (j->outcome.verdict != VERDICT_ACCEPTED)
        return 0;
    if (c->event == RUNNER_ANSWERED && c->reply.status == 0) {
        j->runner_is_up = true;
        if (run_released(c, r) != 0)
            return -1;
        ask_for_bus(c);
        if (c->event == RUNNER_ANSWERED &&
            memory_watch_call(&j->memory, t->set, t->where, t->timed, r) != 0)
            return -1;
    }
    if (c->event != RUNNER_ANSWERED)
        return trial_judge_event(j, t, c->out->released, c->event, r);
    if (c->reply.status != 0) {
        rc = is_launch_refused(c) ? pardon_launch(c, r) : 0;
        if (rc < 0 || j->outcome.verdict != VERDICT_ACCEPTED)
            return rc < 0 ? -1 : 0;
        if (rc == 0)
            return trial_judge_status(j, t, &c->reply, r);
    }
    rc = trial_judge_fault(j, t, false, r);
    if (rc != 0)
        return rc < 0 ? -1 : 0;
    if (check_inputs_unchanged(j, t, r) != 0)
        return -1;
    if (j->outcome.verdict != VERDICT_ACCEPTED)
        return 0;
    return compare_outputs(c, r);
}

/* A request of ours may have failed because the submission kept the device busy. Then the
 * submission gets the verdict time_limit. */
static int
judge_failure(struct judgement *j, const struct trial *t, struct report *r)
{
    struct report ignored = {0};
    struct fault f;

    if (device_fault(j->device, &f, &ignored) != 1 || f.kind != FAULT_INTERRUPTED)
        return -1;
    *r = (struct report){0};
    outcome_set(&j->outcome, VERDICT_TIME_LIMIT, "%s: %s", t->where, f.text);
    judgement_doubt(j);
    return 0;
}

/* --- an empty call --------------------------------------------------------- */

/* Takes what the runner's reply says of the host. No submission is loaded there yet, so
 * that the reply may be believed. */
static void
hear_host(struct call *c, long preempted)
{
    const struct runner_host host = c->j->host->runner(&c->reply);

    c->out->cpu = host.cpu;
    c->out->late = release_is_late((double)host.launch_ns);
    /* Buffers in host memory take our thread so long to fill and to copy that it loses
     * its CPU even if the host has nothing else to do. */
    c->out->preempted = runner_link_is_awake(c->j->runner) && !stands_still(c) &&
                        (preempted > 0 || host.preempted > 0);
}

static int
run_empty(struct call *c, struct report *r)
{
    long preempted = 0;

    stay_awake(c);
    if (make_ready(c, r) != 0)
        return -1;
    if (c->event == RUNNER_ANSWERED && c->reply.status == 0) {
        preempted = c->j->host->preemptions();
        if (run_released(c, r) != 0)
            return -1;
        preempted = c->j->host->preemptions() - preempted;
    }
    if (c->event != RUNNER_ANSWERED || c->reply.status != 0)
        return report_fail(r,
                           "the empty solve() cannot be timed (event %d, status %d: %s)",
                           (int)c->event, c->reply.status, c->reply.text);
    ask_for_bus(c);
    c->out->bus_bytes = bus_since(c);
    hear_host(c, preempted);
    return 0;
}

int
trial_run(struct judgement *j, const struct trial *t, struct trial_result *out,
          struct report *r)
{
    struct call c = {.j = j, .trial = t, .out = out, .bus_before = -1};
    const uint64_t start_ns = now_ns();

    *out = (struct trial_result){.bus_bytes = -1, .cpu = -1};
    c.poison_seed = seeds_make(&j->seeds, SEED_POISON, j->calls++);
    if (t->empty)
        return run_empty(&c, r);
    if (run_submission(&c, r) != 0 && judge_failure(j, t, r) != 0)
        return -1;
    if (out->released)
        out->bus_bytes = bus_since(&c);
    out->steps.check_ns =
        now_ns() - start_ns - out->steps.arm_ns - out->steps.fill_ns - out->steps.run_ns;
    if (t->timed)
        concealed_outcome(j, t->where);
    return 0;
}
