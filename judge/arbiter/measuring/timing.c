/*
 * The loop that makes the timed calls and writes down what it observes of each. Each call
 * has inputs of its own, cold caches and checked outputs. timing_policy.h decides which
 * call comes next and what the time is.
 *
 * On emu the time is modelled from counters, and is the same for the same inputs. These
 * are drawn anew for each judgement (seeds.h).
 */
#include "arbiter/measuring/timing.h"

#include "arbiter/calling/gpu_lock.h"
#include "arbiter/judging/blame.h"
#include "arbiter/judging/call_costs.h"
#include "arbiter/judging/concealed.h"
#include "arbiter/judging/progress.h"
#include "arbiter/measuring/bus_watch.h"
#include "arbiter/measuring/timed_benchmark.h"
#include "base/file.h"
#include "emulator/emulator.h"
#include "emulator/work.h"

#include <stdio.h>
#include <stdlib.h>

/* Answers that are made while nvcc runs take no more host memory than this, in bytes. */
#define PREPARED_BYTES_MAX ((uint64_t)256 << 20)

/* A GPU that has worked keeps its clocks for longer than this. */
#define AWAKE_NS UINT64_C(1000000000)

#define SETS_SHARE 5 /* all sets take this part of the GPU's memory at most: a fifth */

struct call_set *
timed_next_set(struct timed_benchmark *t)
{
    return &t->set[t->calls++ % t->sets];
}

void
call_log_begin(struct call_log *log)
{
    *log = (struct call_log){.begun_ns = now_ns()};
}

void
call_log_add(struct call_log *log, const struct timed_call *call)
{
    if (log->count == log->capacity) {
        log->capacity = log->capacity == 0 ? 256 : 2 * log->capacity;
        log->call = xrealloc(log->call, (size_t)log->capacity * sizeof *log->call);
    }
    log->call[log->count] = *call;
    log->call[log->count++].ended_ns = now_ns() - log->begun_ns;
}

static bool
is_accepted(const struct timed_benchmark *t)
{
    return t->j->outcome.verdict == VERDICT_ACCEPTED;
}

struct timing_terms
timed_terms(const struct timed_benchmark *t)
{
    return (struct timing_terms){.plan = t->plan,
                                 .empty = &t->empty,
                                 .awake = t->awake,
                                 .metered = t->meter != NULL,
                                 .bus_free = t->bus_free};
}

/* Judges what the calls so far show of the submission, the GPU and the host. */
static int
judge_last(struct timed_benchmark *t, const char *where, struct report *r)
{
    const struct call_log *log = &t->log;
    const struct timing_terms terms = timed_terms(t);

    if (timing_fill(log->call, log->count) == FILL_DISQUALIFY) {
        outcome_set(&t->j->outcome, VERDICT_DISQUALIFIED,
                    "%s: while the judge made the inputs, and the program had nothing to "
                    "do, something else ran on the GPU, and not for the first time: a "
                    "kernel that an earlier call left there? When solve returns, all its "
                    "work must be done",
                    where);
        judgement_doubt(t->j);
    }
    if (is_accepted(t) && timing_meter_stopped(&terms, &log->call[log->count - 1]))
        return report_fail(r,
                           "the GPU, which counted the bytes on its bus, no longer does");
    if (timing_host_is_busy(log->call, log->count))
        return report_fail(r,
                           "this machine is too busy to time anything: beside %d timed "
                           "calls something else had our CPUs, or another judgement "
                           "was prepared",
                           timing_busy_calls(log->call, log->count));
    return 0;
}

/* What a call costs us beside the emulated GPU's work. */
static double
own_cost_ms(const struct problem *p, const struct test_case *t)
{
    return timing_cost_ms((double)problem_buffer_bytes(p, t), problem_work_flops(p, t),
                          0);
}

static struct timed_call
observe_call(const struct timed_benchmark *t, const struct timing_next *next,
             const struct trial_result *result, uint64_t beside_ns, uint64_t work)
{
    return (struct timed_call){
        .sample = next->what == TIMING_SAMPLE,
        .behind = next->behind,
        .copied_behind = result->copied_behind,
        .locked = gpu_lock_is_held(t->j->gpu_lock),
        .undisturbed = gpu_lock_was_undisturbed(t->j->gpu_lock, beside_ns),
        .slow_fills = result->slow_fills,
        .busy_fills = result->busy_fills,
        .ns = result->ns,
        .copy_ns = result->copy_ns,
        .fill_ns = result->fill_ns,
        .bus_bytes = result->bus_bytes,
        .cost_ms = own_cost_ms(t->j->problem, t->test) + timing_cost_ms(0, 0, work)};
}

/* What the emulated GPU has done so far; 0 where there is none. */
static uint64_t
emulated_work(const struct judgement *j)
{
    struct work_count *w = runner_link_work(j->runner);

    return w != NULL ? atomic_load(&w->used) : 0;
}

static void
add_steps(struct trial_steps *sum, const struct trial_steps *call)
{
    sum->arm_ns += call->arm_ns;
    sum->fill_ns += call->fill_ns;
    sum->run_ns += call->run_ns;
    sum->check_ns += call->check_ns;
}

static int
timed_call(struct timed_benchmark *t, const struct timing_next *next, struct report *r)
{
    const int number = t->log.count; /* from 0 */
    const bool prepared = number < t->j->timed_count;
    const bool first = number == 0; /* it shows what memory a call of this size takes */
    char *where =
        concealed_where(t->j, next->what == TIMING_WARM_UP ? "warm-up" : "timed run",
                        number + 1, t->sizes);
    const struct trial trial = {.set = timed_next_set(t),
                                .answer = prepared ? &t->j->timed[number] : &t->answer,
                                .where = where,
                                .benchmark = true,
                                .attach = !t->attached,
                                .tells = t->j->job.tells_values ? TRIAL_TELLS_VALUES
                                                                : TRIAL_TELLS_ELEMENT,
                                .timed = true,
                                .follows = !first,
                                .watched = first,
                                .behind = next->behind,
                                .meter = t->meter,
                                .silent_bus = t->silent_bus,
                                .cpu = t->cpu,
                                .usual_fill_ns = t->empty.usual_fill_ns};
    struct trial_result result;
    const uint64_t beside_ns = gpu_lock_beside_ns(t->j->gpu_lock);
    const uint64_t work = emulated_work(t->j);
    const uint64_t start_ns = now_ns();
    int rc = prepared ? 0
                      : reference_answer(t->j->reference, t->test,
                                         seeds_make(&t->j->seeds, SEED_TIMED, number),
                                         &t->answer, r);

    t->reference_ns += now_ns() - start_ns;
    if (rc == 0)
        rc = trial_run(t->j, &trial, &result, r);
    t->attached = true;
    if (rc == 0) {
        add_steps(&t->steps, &result.steps);
        const struct timed_call call =
            observe_call(t, next, &result, beside_ns, emulated_work(t->j) - work);

        call_log_add(&t->log, &call);
        rc = judge_last(t, where, r);
    }
    t->j->result.timing.warmup += rc == 0 && next->what == TIMING_WARM_UP;
    free(where);
    return rc;
}

static struct timing_next
next_call(const struct timed_benchmark *t)
{
    const struct timing_terms terms = timed_terms(t);
    const struct call_log *log = &t->log;
    const bool locked =
        timing_wants_lock(&terms, log->call, log->count) && gpu_lock_try(t->j->gpu_lock);

    return timing_next(&terms, log->call, log->count, locked);
}

/* Notes that the samples begin, perhaps anew. */
static void
begin_samples(struct timed_benchmark *t, bool behind)
{
    t->j->result.timing.empty_ns = t->empty.median_ns;
    conditions_begin_samples(t->conditions, t->empty.ns, t->empty.count, behind,
                             t->meter != NULL ? t->bus_free : -1);
}

/* Tells that the last call was sample number n. */
static void
tell_sample(struct timed_benchmark *t, int n)
{
    const struct timing_terms terms = timed_terms(t);
    const int at_least = t->plan->samples_min;
    const uint64_t start_ns = now_ns();

    conditions_sample(t->conditions,
                      timing_bus_bytes(&terms, &t->log.call[t->log.count - 1]));
    progress("timing", n, n > at_least ? n : at_least);
    t->told_ns += now_ns() - start_ns;
}

/* Notes where the time of the submission's calls went. */
static void
note_steps(const struct timed_benchmark *t)
{
    conditions_step(t->conditions, "reference", (double)t->reference_ns / 1e9);
    conditions_step(t->conditions, "arm", (double)t->steps.arm_ns / 1e9);
    conditions_step(t->conditions, "fill", (double)t->steps.fill_ns / 1e9);
    conditions_step(t->conditions, "run", (double)t->steps.run_ns / 1e9);
    conditions_step(t->conditions, "check", (double)t->steps.check_ns / 1e9);
    conditions_step(t->conditions, "state", (double)t->told_ns / 1e9);
}

static int
measure_samples(struct timed_benchmark *t, struct report *r)
{
    struct timing_next next = {0};
    int told = 0;

    call_log_begin(&t->log);
    while (is_accepted(t)) {
        next = next_call(t);
        if (next.begins)
            begin_samples(t, next.behind);
        else if (next.samples > told)
            tell_sample(t, next.samples);
        told = next.samples;
        if (next.what == TIMING_ENOUGH)
            break;
        if (timed_call(t, &next, r) != 0)
            return -1;
    }
    return 0;
}

/* The bytes of a call's buffers, each once in each direction. */
static double
buffer_bytes(const struct timed_benchmark *t)
{
    double bytes = 0;

    for (int i = 0; i < t->j->problem->param_count; i++) {
        const enum param_dir dir = t->j->problem->param[i].dir;

        if (dir != DIR_SCALAR)
            bytes += (dir == DIR_INOUT ? 2.0 : 1.0) * (double)t->set[0].extent[i].bytes;
    }
    return bytes;
}

/* Ends the submission's process, beside which the next one warms up, and calibrates
 * again. If the GPU was not as usual, the submission is judged once more; the second time
 * a remark says so. */
static void
end_measured(struct timed_benchmark *t)
{
    struct judgement *j = t->j;
    char *off;

    gpu_lock_worked(j->gpu_lock);
    gpu_lock_give(j->gpu_lock);
    gpu_lock_allow_contexts(j->gpu_lock);
    progress_measured();
    judgement_stop_runner(j);
    gpu_lock_take(j->gpu_lock);
    off = conditions_end(t->conditions, &j->result.timing, &t->rates);
    gpu_lock_worked(j->gpu_lock);
    gpu_lock_give(j->gpu_lock);
    if (off != NULL && j->job.attempt == 1) {
        fprintf(stderr, "judged again: %s\n", off);
        j->outcome.may_retry = true;
        free(off);
    } else if (off != NULL) {
        timing_fields_remark(&j->result.timing, off);
    }
}

/* The sets of buffers that calls take turns on. The time of one kernel differs by 1 or 2%
 * with where in the GPU's memory its buffers lie. So there are several sets, as far as
 * they take but a part of the memory. A modelled device needs one. */
static int
sets_wanted(const struct timed_benchmark *t)
{
    const struct judgement *j = t->j;
    int wanted = 1;
    struct device_info info;

    device_info(j->device, &info);
    while (!device_clock_modelled(j->device) && wanted < SETS_MAX &&
           t->set_bytes <= info.memory_bytes / SETS_SHARE / (uint64_t)(wanted + 1))
        wanted++;
    return wanted;
}

static int
alloc_sets(struct timed_benchmark *t, struct report *r)
{
    struct judgement *j = t->j;
    int wanted;

    t->set_bytes = call_set_bytes(j->problem, t->test, true);
    wanted = sets_wanted(t);
    /* The answer of the reference comes, too. */
    gpu_lock_hold(j->gpu_lock,
                  device_own_bytes(j->device) + t->set_bytes * (uint64_t)(wanted + 1));
    while (t->sets < wanted) {
        struct call_set *s = &t->set[t->sets];

        if (call_set_alloc(s, j->device, j->problem, t->test, true, r) != 0)
            return -1;
        t->sets++;
        if (call_set_alloc_copies(s, r) != 0)
            return -1;
    }
    call_set_group(t->set, t->sets);
    t->buffer_bytes = buffer_bytes(t);
    return 0;
}

void
timed_enter_step(struct timed_benchmark *t)
{
    if (gpu_lock_follows(t->j->gpu_lock))
        gpu_lock_enter(t->j->gpu_lock);
}

int
timed_leave_step(struct timed_benchmark *t, int rc)
{
    /* The answer of the reference is there, too. */
    gpu_lock_leave(t->j->gpu_lock, device_own_bytes(t->j->device) + t->set_bytes);
    return rc;
}

static void
free_sets(struct timed_benchmark *t)
{
    for (int i = 0; i < t->sets; i++)
        call_set_free(&t->set[i]);
    t->sets = 0;
}

/* Allocates the sets while the arbiter before may still be there. Its submission may have
 * all memory that there is. Then they are allocated when it is gone. The reference may
 * have ended for want of memory. Then it is started again. */
static int
alloc_sets_beside(struct timed_benchmark *t, struct report *r)
{
    struct gpu_lock *lock = t->j->gpu_lock;
    const bool followed = gpu_lock_follows(lock);
    struct report why = {0};
    int rc;

    if (!followed)
        return alloc_sets(t, r);
    timed_enter_step(t);
    rc = alloc_sets(t, &why);
    if (rc == 0)
        rc = timed_empty_answer(t, &why); /* its buffers are there from then on */
    if (timed_leave_step(t, rc) == 0)
        return 0;
    fprintf(stderr, "beside the judgement before: %s\n", why.text);
    free_sets(t);
    gpu_lock_await_before(lock);
    if (reference_ended(t->j->reference) && reference_try_again(t->j->reference, r) != 0)
        return -1;
    return alloc_sets(t, r);
}

static double
seconds_since(uint64_t start_ns)
{
    return (double)(now_ns() - start_ns) / 1e9;
}

/* Measures what the protocol costs and what the GPU can do, before anything of the
 * submission is loaded. A submission that slowed these down would shorten its own time,
 * or move its limit. */
static int
begin_measured(struct timed_benchmark *t, struct report *r)
{
    struct judgement *j = t->j;
    uint64_t start_ns = now_ns();
    double empty;

    t->awake = gpu_lock_idle_ns(j->gpu_lock) < AWAKE_NS;
    if (alloc_sets_beside(t, r) != 0)
        return -1;
    if (bus_is_watched(j->problem))
        t->meter = bus_meter_open(j->device);
    t->silent_bus = bus_is_silent(j->problem) && reference_is_on_target(j->reference);
    t->bus_free =
        bus_free_bytes(problem_work_bytes(j->problem, t->test), t->buffer_bytes);
    if (timed_empty(t, r) != 0)
        return -1;
    empty = seconds_since(start_ns);
    gpu_lock_take(j->gpu_lock);
    t->conditions = conditions_begin(j->device, j->config.home);
    gpu_lock_give(j->gpu_lock);
    conditions_seconds(t->conditions, "prepare", (double)j->prepare_ns / 1e9);
    conditions_seconds(t->conditions, "empty", empty);
    conditions_seconds(t->conditions, "uncounted", (double)t->empty.uncounted_ns / 1e9);
    t->attached = true;
    t->begun_ns = now_ns();
    return 0;
}

static int
run_timed_calls(struct timed_benchmark *t, struct report *r)
{
    struct judgement *j = t->j;
    const bool modelled = device_clock_modelled(j->device);
    struct counters before;
    uint64_t start_ns;

    if (modelled && alloc_sets(t, r) != 0)
        return -1;
    conditions_seconds(t->conditions, "tests", seconds_since(t->begun_ns));
    if (device_set_checks(j->device, false, r) != 0)
        return -1;
    start_ns = now_ns();
    t->awake = start_ns - t->begun_ns < AWAKE_NS; /* since the calibration */
    if (t->meter != NULL && bus_is_narrow(t->bus_free))
        gpu_lock_forbid_contexts(j->gpu_lock);
    if (costs_begin(j, &before, r) != 0 || measure_samples(t, r) != 0)
        return -1;
    if (!is_accepted(t))
        return 0;
    conditions_seconds(t->conditions, "timed", seconds_since(start_ns));
    note_steps(t);
    timed_summarize(t);
    if (!modelled && blame_settle_memory(j, r) != 0)
        return -1;
    /* The costs are those of all timed calls, the warm-up's included. */
    return costs_end(j, &before, j->result.timing.warmup + j->result.timing.sample_count,
                     t->sizes, r);
}

/* The host memory that an answer takes. */
static uint64_t
answer_bytes(const struct answer *a)
{
    uint64_t bytes = 0;

    for (int i = 0; i < a->known->problem->param_count; i++)
        bytes += a->known->extent[i].bytes;
    return a->known == &a->ran ? bytes : 2 * bytes;
}

int
timing_prepare(struct judgement *j, struct report *r)
{
    const struct test_case *test = &j->problem->benchmark_emu;
    const int calls =
        timing_plan_emu.warmup +
        timing_plan_samples(&timing_plan_emu, own_cost_ms(j->problem, test));
    const int n = j->timed_count;

    if (!device_clock_modelled(j->device) || j->job.sample_tests_only || n == calls ||
        (n > 0 && answer_bytes(&j->timed[0]) * (uint64_t)(n + 1) > PREPARED_BYTES_MAX))
        return 0;
    if (n == 0)
        j->timed = xcalloc((size_t)calls, sizeof *j->timed);
    j->timed_count++; /* counted first, so that half an answer is freed as well */
    return reference_answer(j->reference, test, seeds_make(&j->seeds, SEED_TIMED, n),
                            &j->timed[n], r) == 0
               ? 1
               : -1;
}

static struct timed_benchmark *
timing_new(struct judgement *j)
{
    const bool modelled = device_clock_modelled(j->device);
    struct timed_benchmark *t = xcalloc(1, sizeof *t);

    t->j = j;
    t->test = modelled ? &j->problem->benchmark_emu : &j->problem->benchmark_cuda;
    t->plan = modelled ? &timing_plan_emu : &timing_plan_gpu;
    if (j->plan != NULL)
        t->plan = j->plan;
    t->cpu = -1;
    t->sizes = problem_sizes_text(j->problem, t->test);
    return t;
}

void
timing_free(struct timed_benchmark *t)
{
    if (t == NULL)
        return;
    gpu_lock_give(t->j->gpu_lock);
    bus_meter_close(t->meter);
    conditions_free(t->conditions);
    answer_free(&t->answer);
    free_sets(t);
    free(t->log.call);
    free(t->sizes);
    free(t);
}

int
timing_slots(const struct timed_benchmark *t)
{
    return t != NULL && t->attached ? call_set_slots_end(t->set) : 0;
}

int
timing_begin(struct judgement *j, struct report *r)
{
    if (!judgement_is_measured(j))
        return 0;
    j->timing = timing_new(j);
    return begin_measured(j->timing, r);
}

int
timing_run(struct judgement *j, struct report *r)
{
    if (j->timing == NULL)
        j->timing = timing_new(j);
    if (device_clock_modelled(j->device) &&
        device_rates(j->device, true, &j->timing->rates, r) < 0)
        return -1;
    return run_timed_calls(j->timing, r);
}

void
timing_end(struct judgement *j)
{
    if (!device_clock_modelled(j->device))
        end_measured(j->timing);
    timed_judge(j->timing);
}
