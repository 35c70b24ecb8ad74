/*
 * One call. The order is the whole defence (design: "Arbiter and runner"):
 *
 *   [timed on emu: the clock starts]        a model charges only for what a program does
 *   fill the inputs, poison the outputs     no process but ours runs for this call yet
 *   arm: the runner maps and blocks         its READY is only a hint when to go on
 *   release, wait for DONE                  DONE is only a hint when to look
 *   copy the outputs away                   from here on nothing that it does counts
 *   [timed on emu: the clock stops]
 *   compare the inputs, compare the copies
 *
 * Timed on a GPU, where the program could work on what it finds before the clock starts:
 *
 *   arm                                     with nothing of this call in the buffers
 *   [buffers in host memory: the process is stopped]
 *   fill, poison, caches cold, hold         queued as one, so that the card does it
 *   the clock starts                        without turning to anybody else
 *   release, wait, copy                     in the order that release.h explains
 */
#include "arbiter/trial.h"

#include "arbiter/explain.h"
#include "arbiter/outputs.h"
#include "arbiter/release.h"
#include "arbiter/trial_impl.h"
#include "core/file.h"
#include "emulator/exec/exec.h"
#include "runner/awake.h"

#include <stdlib.h>
#include <string.h>

#define AWAKE_MS 100 /* of timed calls: no wait sleeps before (runner_link.h) */

/* --- comparison ------------------------------------------------------------ */

/* The integer type of the same size: for comparing bits. */
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
compare_inputs(struct judgement *j, const struct trial *t, struct report *r)
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

/* Does the element still hold what the judge put there? The poison is made again, in the
 * submission's buffer, which nobody needs any more. */
static int
is_untouched(struct judgement *j, const struct trial *t, int param, uint64_t poison_seed,
             uint64_t offset, const void *got, size_t size, bool *out, struct report *r)
{
    const struct param *p = &j->problem->param[param];
    unsigned char was[8];

    *out = false;
    if (p->dir != DIR_OUT || p->start != START_POISON)
        return 0;
    if (device_poison(j->device, t->set->buffer[param],
                      call_set_poison_seed(poison_seed, param), r) != 0 ||
        device_read(j->device, t->set->buffer[param], offset, size, was, r) != 0)
        return -1;
    *out = memcmp(was, got, size) == 0;
    return 0;
}

static int
explain_wrong(struct judgement *j, const struct trial *t, int param, uint64_t poison_seed,
              const struct compare_result *result, struct report *r)
{
    const struct param *p = &j->problem->param[param];
    const size_t size = dtype_size(p->type);
    const uint64_t offset = result->first * size;
    uint64_t got, want; /* large and aligned enough for every type */
    struct mismatch m = {.where = t->where,
                         .param = p,
                         .extent = &t->set->extent[param],
                         .result = result,
                         .got = &got,
                         .want = &want};
    char *text, *hint;

    if (device_read(j->device, t->set->copy[param], offset, size, &got, r) != 0 ||
        device_read(j->device, t->answer->known->buffer[param], offset, size, &want, r) !=
            0 ||
        is_untouched(j, t, param, poison_seed, offset, &got, size, &m.untouched, r) != 0)
        return -1;
    hint = trial_hint(j, r);
    if (hint == NULL)
        return -1;
    text = explain_mismatch(&m);
    outcome_set(&j->outcome, VERDICT_WRONG_ANSWER, "%s%s", text, hint);
    free(text);
    free(hint);
    return 0;
}

/* The checker's sentence, which may hold text of the author's only. */
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
    buf_free(&text);
    free(hint);
    return 0;
}

/* A copy that was queued behind the work, and is wrong, may have been cut in two by the
 * end of a time slice: the outputs decide, not the copy. Then the interval is not one of
 * its kind. */
static int
compare_outputs(struct judgement *j, struct trial *t, uint64_t poison_seed,
                struct report *r)
{
    struct outputs_finding finding;

    if (outputs_compare(j->device, t->set, t->answer, t->benchmark, &finding, r) != 0)
        return -1;
    if (finding.param >= 0 && t->copied_behind) {
        t->copied_behind = false;
        if (call_set_take_outputs(t->set, r) != 0 ||
            device_clock_lap(j->device, &t->ns, r) != 0 ||
            outputs_compare(j->device, t->set, t->answer, t->benchmark, &finding, r) != 0)
            return -1;
    }
    if (finding.param < 0)
        return 0;
    if (finding.text[0] != '\0')
        return explain_refused(j, t, &finding, r);
    return explain_wrong(j, t, finding.param, poison_seed, &finding.result, r);
}

/* --- the call -------------------------------------------------------------- */

static int
fill_inputs(struct judgement *j, const struct trial *t, struct report *r)
{
    const struct call_set *known = t->answer->known;

    for (int i = 0; i < j->problem->param_count; i++) {
        const struct param *p = &j->problem->param[i];

        /* The reference was given the same, and left it as it was; an inout parameter it
         * has overwritten. */
        if (p->dir == DIR_IN &&
            device_copy(j->device, t->set->buffer[i], known->buffer[i], r) != 0)
            return -1;
        if (p->dir == DIR_INOUT &&
            call_set_refill(t->set, i, known, t->answer->seed, r) != 0)
            return -1;
    }
    return 0;
}

/* Everything that the submission's buffers hold before the call. */
static int
fill(struct judgement *j, const struct trial *t, uint64_t poison_seed, struct report *r)
{
    if (fill_inputs(j, t, r) != 0)
        return -1;
    return call_set_start_outputs(t->set, poison_seed, r);
}

/* The same for a call that a GPU's clock will time: caches are cold then, and the card is
 * held. answer NULL: nothing is filled in. */
static int
fill_and_hold(struct judgement *j, const struct trial *t, uint64_t poison_seed,
              double *ns, struct report *r)
{
    if (device_clock_begin(j->device, r) != 0 || device_queue(j->device, r) != 0 ||
        (t->answer != NULL && fill(j, t, poison_seed, r) != 0) ||
        device_flush(j->device, r) != 0 || release_hold(j->device, r) != 0)
        return -1;
    return device_clock_end(j->device, ns, r);
}

/* The same, again where it was slow (fill_watch.h): with the same inputs. */
static int
fill_watched(struct judgement *j, struct trial *t, uint64_t poison_seed, struct report *r)
{
    double ns = 0;

    t->fill_ns = 0;
    for (int i = 0; i < FILL_TRIES; i++) {
        const long preempted = awake_preemptions();

        if (i > 0 && device_let_go(j->device, r) != 0)
            return -1;
        if (fill_and_hold(j, t, poison_seed, &ns, r) != 0)
            return -1;
        t->fill_ns += ns;
        if (t->watch == NULL || !fill_is_slow(t->watch->usual_ns, ns))
            return 0;
        *(awake_preemptions() == preempted ? &t->slow_fills : &t->busy_fills) += 1;
    }
    return 0;
}

/* Buffers in host memory can be read as soon as they are filled, by a thread that waits
 * for it, before the clock starts. So the process stands still from before the fill to
 * the release where there are any; it has been armed then. */
static bool
stands_still(const struct judgement *j, bool timed)
{
    bool host = false;

    for (int i = 0; i < j->problem->param_count; i++)
        host = host || j->problem->param[i].space == SPACE_HOST_PINNED;
    return timed && host;
}

/* From the release to our copy of the outputs. */
static int
run_released(struct judgement *j, struct trial *t, enum runner_event *event,
             struct runner_reply *reply, struct report *r)
{
    struct release release = {.set = t->set,
                              .runner = j->runner,
                              .timed = t->timed,
                              .frozen = stands_still(j, t->timed),
                              .behind = t->behind,
                              .limit_ms = (uint64_t)j->problem->time_limit_ms,
                              .quiet = j->quiet};

    if (t->watched && memory_watch_works(&j->memory))
        release.memory = &j->memory;

    j->runner_is_up = true;
    t->released = true;
    if (release_run(&release, event, reply, r) != 0)
        return -1;
    t->ns = release.ns;
    t->copy_ns = release.copy_ns;
    t->copied_behind = release.copied_behind;
    return *event == RUNNER_ANSWERED ? memory_watch_call(&j->memory, t->set, t->where, r)
                                     : 0;
}

/* Buffers filled and the runner armed, in the order that shows it nothing too early. */
static int
make_ready(struct judgement *j, struct trial *t, uint64_t poison_seed,
           enum runner_event *event, struct runner_reply *reply, struct report *r)
{
    const bool clocked = t->timed && !device_clock_modelled(j->device);
    const bool frozen = stands_still(j, t->timed);
    int rc;

    if (!clocked && !frozen && fill(j, t, poison_seed, r) != 0)
        return -1;
    if (call_set_arm(t->set, j->runner, t->attach, trial_arm_ms(j), event, reply, r) != 0)
        return -1;
    if ((!clocked && !frozen) || *event != RUNNER_ANSWERED || reply->status != 0)
        return 0;
    t->bus_before = t->metered ? device_bus_bytes(j->device) : -1;
    rc = frozen ? runner_link_freeze(j->runner, r) : 0;
    if (rc > 0)
        outcome_set(&j->outcome, VERDICT_TIME_LIMIT,
                    "%s: the program could not be made to wait for its inputs: a call of "
                    "the system's did not end within a second",
                    t->where);
    if (rc != 0)
        return rc < 0 ? -1 : 0;
    return clocked ? fill_watched(j, t, poison_seed, r) : fill(j, t, poison_seed, r);
}

/* What has gone over the bus since `before`, an earlier answer; < 0: not known. That is
 * asked when the runner is armed, not sooner: it may take its time over that, and the
 * card's counters come round every 4 GB (nvml.c), so that who sends as much meanwhile
 * seems to have sent nothing. From the fill to the end of a call nobody can. */
static double
bus_since(struct judgement *j, bool metered, double before)
{
    const double now = metered ? device_bus_bytes(j->device) : -1;

    return now < 0 || before < 0 ? -1 : now - before;
}

static int
run_call(struct judgement *j, struct trial *t, struct report *r)
{
    struct runner_reply reply = {0};
    enum runner_event event;
    uint64_t poison_seed;
    int rc;

    t->bus_before = -1;
    random_bytes(&poison_seed, sizeof poison_seed);
    if (t->timed && device_clock_modelled(j->device) &&
        device_clock_begin(j->device, r) != 0)
        return -1;
    if (t->timed && !device_clock_modelled(j->device)) {
        runner_link_stay_awake(j->runner, t->watched ? 0 : AWAKE_MS);
        runner_link_use_cpu(j->runner, t->cpu);
    }
    if (make_ready(j, t, poison_seed, &event, &reply, r) != 0)
        return -1;
    if (j->outcome.verdict != VERDICT_ACCEPTED)
        return 0;
    if (event == RUNNER_ANSWERED && reply.status == 0 &&
        run_released(j, t, &event, &reply, r) != 0)
        return -1;
    t->bus_bytes = bus_since(j, t->metered, t->bus_before);
    if (event != RUNNER_ANSWERED)
        return trial_judge_event(j, t, event, r);
    if (reply.status != 0)
        return trial_judge_status(j, t, &reply, r);
    rc = trial_judge_fault(j, t, false, r);
    if (rc != 0)
        return rc < 0 ? -1 : 0;
    if (compare_inputs(j, t, r) != 0)
        return -1;
    if (j->outcome.verdict != VERDICT_ACCEPTED)
        return 0;
    return compare_outputs(j, t, poison_seed, r);
}

int
trial_run(struct judgement *j, struct trial *t, struct report *r)
{
    struct report ignored = {0};
    struct fault f;
    int rc = run_call(j, t, r);

    /* A request of ours may have failed because the submission kept the device busy: then
     * the failure is its own. */
    if (rc != 0 && device_fault(j->device, &f, &ignored) == 1 &&
        f.kind == FAULT_INTERRUPTED) {
        *r = (struct report){0};
        outcome_set(&j->outcome, VERDICT_TIME_LIMIT, "%s: %s", t->where, f.text);
        judgement_doubt(j);
        rc = 0;
    }
    return rc;
}

int
trial_run_null(struct judgement *j, struct null_trial *t, struct report *r)
{
    const struct trial same = {.set = t->set, .answer = t->answer};
    const bool frozen = stands_still(j, true);
    struct release release = {.set = t->set,
                              .runner = j->runner,
                              .timed = true,
                              .frozen = frozen,
                              .behind = t->behind,
                              .unchecked = true,
                              .limit_ms = TRIAL_START_MS};
    struct runner_reply reply = {0};
    struct runner_host host;
    enum runner_event event;
    uint64_t poison_seed;
    long preempted = 0;
    double bus;

    random_bytes(&poison_seed, sizeof poison_seed);
    /* After a call that only wakes it the next one is long in coming. */
    runner_link_stay_awake(j->runner, t->answer != NULL ? AWAKE_MS : 0);
    runner_link_use_cpu(j->runner, t->cpu);
    if (call_set_arm(t->set, j->runner, t->attach, TRIAL_START_MS, &event, &reply, r) !=
        0)
        return -1;
    bus = t->metered ? device_bus_bytes(j->device) : -1;
    if (frozen && runner_link_freeze(j->runner, r) != 0)
        return -1;
    if (event == RUNNER_ANSWERED && reply.status == 0) {
        if (fill_and_hold(j, &same, poison_seed, &t->fill_ns, r) != 0)
            return -1;
        preempted = awake_preemptions();
        if (release_run(&release, &event, &reply, r) != 0)
            return -1;
        preempted = awake_preemptions() - preempted;
    }
    if (event != RUNNER_ANSWERED || reply.status != 0)
        return report_fail(r,
                           "the empty solve() cannot be timed (event %d, status %d: %s)",
                           (int)event, reply.status, reply.text);
    t->bus_bytes = bus_since(j, t->metered, bus);
    host = runner_reply_host(&reply);
    t->cpu = host.cpu;
    t->late = release_is_late((double)host.launch_ns);
    /* Who fills buffers in host memory is long in doing so, and it takes long to copy
     * them. */
    t->preempted = runner_link_is_awake(j->runner) && !frozen &&
                   (preempted > 0 || host.preempted > 0);
    t->ns = release.ns;
    t->copy_ns = release.copy_ns;
    t->copied_behind = release.copied_behind;
    return 0;
}
