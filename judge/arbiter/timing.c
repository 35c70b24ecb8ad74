/*
 * Timed runs: each call has inputs of its own, cold caches and checked outputs; each
 * interval is bracketed on its own and is a sample. Nothing that the warm-up does changes
 * how many samples are taken.
 *
 * On a GPU the interval of an empty solve(), measured in the same way on the same
 * buffers, is subtracted: it holds what the protocol costs (the card's turns from context
 * to context, our copy of the outputs).
 *
 * On emu the time is modelled from counters, and comes out the same whenever the same
 * source is judged: seeds.h says which inputs it gets.
 */
#include "arbiter/timing.h"

#include "arbiter/bus_watch.h"
#include "arbiter/costs.h"
#include "arbiter/progress.h"
#include "arbiter/timing_impl.h"
#include "core/file.h"
#include "emulator/exec/exec.h"

#include <stdio.h>
#include <stdlib.h>

static const struct plan plan_cuda = {.warmup = 3,
                                      .warmup_max = 100,
                                      .warmup_ns = UINT64_C(200000000),
                                      .samples_min = 16,
                                      .samples_max = 200,
                                      .budget_ns = UINT64_C(1500000000),
                                      .precision = 0.005,
                                      .empty_min = 20,
                                      .empty_max = EMPTY_MAX,
                                      .empty_budget_ns = UINT64_C(300000000),
                                      .empty_precision_ns = 500};

/* The model starts cold in every call and does not waver: more samples would only show
 * again what depends on the data. */
static const struct plan plan_emu = {
    .warmup = 1, .warmup_max = 1, .samples_min = 3, .samples_max = 3};

/* Answers that are made while nvcc runs take no more host memory than this. */
#define PREPARED_BYTES_MAX ((uint64_t)256 << 20)

#define SETS_SHARE 5 /* of the card's memory, one part */

/* Of the warm-up's last calls the copy behind the work may miss half, of the samples half
 * and so many: a busy host may hold up a launch. */
#define MISSED_MAX 2
#define WARM_UP_LAST 8

/* Calls that did not count for a busy host. */
#define BUSY_MAX 100

uint64_t
timed_seed(const struct timed_runs *t, int call)
{
    uint64_t seed;

    if (device_clock_modelled(t->j->device))
        return seeds_call(&t->seeds, call);
    random_bytes(&seed, sizeof seed);
    return seed;
}

struct call_set *
timed_next_set(struct timed_runs *t)
{
    return &t->set[t->calls++ % t->sets];
}

/* Does the call count? In the warm-up a neighbour may have been at work, which is then
 * why ours was slow; a kernel that the submission has left is there in later calls, too.
 * Where our own thread had lost its CPU the work may have been slow for that, which is
 * evidence of nothing. */
static bool
judge_fill(struct timed_runs *t, const struct trial_result *result, const char *where,
           uint64_t busy_ns)
{
    const int slow = quiet_was(t->j->quiet, busy_ns) ? result->slow_fills : 0;
    const enum fill_finding finding = fill_watch_call(&t->watch, slow);

    if (finding == FILL_DISQUALIFY) {
        outcome_set(&t->j->outcome, VERDICT_DISQUALIFIED,
                    "%s: while the judge made the inputs, and the program had nothing to "
                    "do, something else ran on the GPU, and not for the first time: a "
                    "kernel that an earlier call left there? When solve returns, all its "
                    "work must be done",
                    where);
        judgement_doubt(t->j);
    }
    t->busy_calls += result->busy_fills > 0;
    return finding == FILL_FINE && result->busy_fills == 0;
}

/* Is the warm-up over after so many calls? A neighbour (quiet.h) may go on with what it
 * does for the first half of it; then it is asked to stop, and until it has the warm-up
 * goes on, so that nothing gets cold meanwhile. True: it is quiet. */
static bool
is_warm(const struct timed_runs *t, int calls, uint64_t start_ns)
{
    const struct plan *p = &t->plan;
    const uint64_t spent_ns = now_ns() - start_ns;
    const bool half = 2 * calls >= p->warmup_max || 2 * spent_ns >= p->warmup_ns;

    return half && quiet_try(t->j->quiet) && calls >= p->warmup &&
           (calls >= p->warmup_max || spent_ns >= p->warmup_ns);
}

static bool
accepted(const struct timed_runs *t)
{
    return t->j->outcome.verdict == VERDICT_ACCEPTED;
}

struct timed_call {
    struct sample sample;
    double bus_bytes; /* beyond empty calls'; < 0: not known */
    bool counts;
    bool copied_behind; /* of which kind the interval is */
};

/* Does the call count whole? A meter that stops would let the host work unseen. */
static int
judge_bus(struct timed_runs *t, const struct trial_result *result,
          struct timed_call *call, struct report *r)
{
    call->bus_bytes = bus_beyond_empty(t->empty.bus_bytes, result->bus_bytes);
    call->sample.whole =
        call->bus_bytes >
        t->bus_free + bus_free_of_launches(result->ns - t->empty.median_ns);
    if (t->metered && t->empty.bus_bytes >= 0 && result->bus_bytes < 0)
        return report_fail(r,
                           "the GPU, which counted the bytes on its bus, no longer does");
    return 0;
}

/* What the copy behind the work took less than an empty call's: it finds in the cache
 * what a kernel has just written, whereas an empty solve() leaves a flushed one. Up to 3
 * us are the cache's gain, not the program's. What a copy takes more is the program's
 * loss: else it could slow the copy down and write its last outputs meanwhile. */
static double
copy_gain(const struct timed_runs *t, const struct trial_result *result)
{
    const double gain = t->empty.median_copy_ns - result->copy_ns;

    return t->empty.behind && result->copied_behind && gain > 0 ? gain : 0;
}

static int
timed_call(struct timed_runs *t, int call, const char *what, struct timed_call *out,
           struct report *r)
{
    char *where = xasprintf("%s %d (%s)", what, call + 1, t->sizes);
    const bool prepared = call < t->j->timed_count;
    const bool first = call == 0; /* of this size: it shows what memory one takes */
    const struct trial trial = {.set = timed_next_set(t),
                                .answer = prepared ? &t->j->timed[call] : &t->answer,
                                .where = where,
                                .benchmark = true,
                                .attach = !t->attached,
                                .timed = true,
                                .watched = first,
                                .behind = t->copies_behind && !first,
                                .metered = t->metered,
                                .cpu = t->cpu,
                                .watch = &t->watch};
    struct trial_result result;
    const uint64_t busy_ns = quiet_busy_ns(t->j->quiet);
    int rc = prepared ? 0
                      : reference_answer(t->j->reference, t->test, timed_seed(t, call),
                                         &t->answer, r);

    if (rc == 0)
        rc = trial_run(t->j, &trial, &result, r);
    t->attached = true;
    if (rc == 0)
        *out = (struct timed_call){.sample = {.ns = result.ns,
                                              .copy_gain_ns = copy_gain(t, &result),
                                              .fill_ns = result.fill_ns},
                                   .counts = judge_fill(t, &result, where, busy_ns),
                                   .copied_behind = result.copied_behind};
    if (rc == 0 && accepted(t))
        rc = judge_bus(t, &result, out, r);
    if (rc == 0 && t->busy_calls > BUSY_MAX)
        rc = report_fail(r,
                         "this machine's CPUs are too busy to time anything: beside "
                         "%d timed calls something else had ours",
                         t->busy_calls);
    free(where);
    return rc;
}

/* Is another sample to be taken? The interval is looked at after each one, so that its
 * 95% are a little less: docs/timing.md. */
static bool
wants_more(const struct timed_runs *t, uint64_t spent_ns)
{
    const struct timing *out = &t->j->result.timing;
    const struct plan *p = &t->plan;
    const int n = out->sample_count;
    struct interval i;

    if (n < p->samples_min)
        return true;
    if (n >= p->samples_max || spent_ns > p->budget_ns)
        return false;
    i = median_interval(out->sample_ns, n);
    return i.high - i.low > p->precision * quantile(out->sample_ns, n, 0.5);
}

/* Which kind the submission's intervals are of: copied behind the work, where most of the
 * last calls of the warm-up were. */
static void
choose_kind(struct timed_runs *t, bool behind)
{
    t->copies_behind = behind;
    t->j->result.timing.null_ns = t->empty.median_ns;
    conditions_begin_samples(t->conditions, t->empty.ns, t->empty.count, behind,
                             t->metered ? t->bus_free : -1);
}

/* Were most of the last calls copied behind their work? behind: a bit for each. */
static bool
are_behind(const struct timed_runs *t, unsigned behind)
{
    const int calls = t->j->result.timing.warmup;
    const int of = calls < WARM_UP_LAST ? calls : WARM_UP_LAST;
    const int missed = of - __builtin_popcount(behind & ((1u << of) - 1));

    return t->empty.behind && 2 * missed <= of;
}

/* What a neighbour's work beside the last calls may have spoilt is tried again when it is
 * quiet, as far as that takes no longer than a warm-up does. */
static bool
is_settled(const struct timed_runs *t, unsigned behind, int quiet_calls,
           uint64_t start_ns)
{
    return !t->empty.behind || quiet_calls >= WARM_UP_LAST || are_behind(t, behind) ||
           now_ns() - start_ns >= 2 * t->plan.warmup_ns;
}

static int
warm_up(struct timed_runs *t, struct report *r)
{
    struct timing *out = &t->j->result.timing;
    const uint64_t start_ns = now_ns();
    unsigned behind = 0;
    int quiet_calls = 0;

    t->copies_behind = t->empty.behind;
    while (accepted(t) && !(is_warm(t, out->warmup, start_ns) &&
                            is_settled(t, behind, quiet_calls, start_ns))) {
        struct timed_call call;

        if (timed_call(t, out->warmup, "warm-up", &call, r) != 0)
            return -1;
        out->warmup++;
        quiet_calls += quiet_is(t->j->quiet);
        behind = behind << 1 | call.copied_behind;
    }
    choose_kind(t, are_behind(t, behind));
    return 0;
}

/* A call that its copy missed counts with the time of the second copy, so that nobody
 * gains by missing. Where most are missed, the submission's calls are not of the kind
 * that they seemed, and the samples are taken again, copied after DONE: true. */
static bool
must_start_again(struct timed_runs *t, struct timed_call *call, int *missed)
{
    const int samples = t->j->result.timing.sample_count;

    if (!t->copies_behind || call->copied_behind ||
        2 * (++*missed - MISSED_MAX) <= samples)
        return false;
    call->counts = false;
    t->j->result.timing.sample_count = 0;
    choose_kind(t, false);
    return true;
}

static int
measure(struct timed_runs *t, struct report *r)
{
    struct timing *out = &t->j->result.timing;
    const struct plan *p = &t->plan;
    uint64_t start_ns;
    int missed = 0;

    if (warm_up(t, r) != 0)
        return -1;
    out->sample_ns = xcalloc((size_t)p->samples_max, sizeof *out->sample_ns);
    t->sample = xcalloc((size_t)p->samples_max, sizeof *t->sample);
    start_ns = now_ns(); /* how long the warm-up took must not count */
    while (accepted(t) && wants_more(t, now_ns() - start_ns)) {
        const int n = out->sample_count;
        struct timed_call call;

        if (timed_call(t, out->warmup + n, "timed run", &call, r) != 0)
            return -1;
        if (!accepted(t))
            break;
        if (must_start_again(t, &call, &missed))
            start_ns = now_ns();
        if (!call.counts)
            continue;
        t->sample[out->sample_count] = call.sample;
        out->sample_ns[out->sample_count++] = timed_value(&call.sample, out->null_ns);
        conditions_sample(t->conditions, call.bus_bytes);
        progress("timing", n + 1, n + 1 > p->samples_min ? n + 1 : p->samples_min);
    }
    return 0;
}

/* Each buffer once in each direction. */
static double
buffer_bytes(const struct timed_runs *t)
{
    double bytes = 0;

    for (int i = 0; i < t->j->problem->param_count; i++) {
        const enum param_dir dir = t->j->problem->param[i].dir;

        if (dir != DIR_SCALAR)
            bytes += (dir == DIR_INOUT ? 2.0 : 1.0) * (double)t->set[0].extent[i].bytes;
    }
    return bytes;
}

/* The card was not as usual: judged once more; if it is so again, that is said with the
 * time. */
static void
end_measured(struct timed_runs *t)
{
    struct judgement *j = t->j;
    char *off;

    judgement_stop_runner(j);
    off = conditions_end(t->conditions, &j->result.timing, &t->rates);
    quiet_give(j->quiet);
    if (off != NULL && j->job.attempt == 1) {
        fprintf(stderr, "judged again: %s\n", off);
        j->outcome.may_retry = true;
        free(off);
    } else {
        j->result.timing.remark = off;
    }
}

static uint64_t
set_bytes(const struct call_set *s)
{
    uint64_t bytes = 0;

    for (int i = 0; i < s->problem->param_count; i++)
        bytes += s->extent[i].bytes * (s->copy[i] != NULL ? 2 : 1);
    return bytes;
}

/* The time of one kernel differs by 1 or 2% with where in the card's memory its buffers
 * lie (docs/measurements). So calls take turns on several sets of them, as far as they
 * take but a part of the memory; a modelled device needs one. */
static int
alloc_sets(struct timed_runs *t, struct report *r)
{
    struct judgement *j = t->j;
    int wanted = 1;
    struct device_info info;

    device_info(j->device, &info);
    while (t->sets < wanted) {
        struct call_set *s = &t->set[t->sets];

        if (call_set_alloc(s, j->device, j->problem, t->test, true, r) != 0)
            return -1;
        t->sets++;
        if (call_set_alloc_copies(s, r) != 0)
            return -1;
        if (!device_clock_modelled(j->device) && t->sets == 1)
            while (wanted < SETS_MAX && set_bytes(s) * (uint64_t)(wanted + 1) <=
                                            info.memory_bytes / SETS_SHARE)
                wanted++;
    }
    call_set_group(t->set, t->sets);
    t->buffer_bytes = buffer_bytes(t);
    return 0;
}

static double
seconds_since(uint64_t start_ns)
{
    return (double)(now_ns() - start_ns) / 1e9;
}

/* What the protocol costs and what the card can do are measured before anything of the
 * submission is loaded: what slowed them down would have its own time shortened, or the
 * limit moved. */
static int
begin_measured(struct timed_runs *t, struct report *r)
{
    struct judgement *j = t->j;
    uint64_t start_ns = now_ns();
    double empty;

    if (alloc_sets(t, r) != 0)
        return -1;
    t->metered = bus_is_watched(j->problem);
    t->bus_free =
        bus_free_bytes(problem_work_bytes(j->problem, t->test), t->buffer_bytes);
    if (timed_empty(t, r) != 0)
        return -1;
    empty = seconds_since(start_ns);
    quiet_take(j->quiet);
    t->conditions = conditions_begin(j->device, j->config.home);
    quiet_give(j->quiet);
    conditions_seconds(t->conditions, "prepare", (double)j->prepare_ns / 1e9);
    conditions_seconds(t->conditions, "empty", empty);
    conditions_seconds(t->conditions, "uncounted", (double)t->empty.uncounted_ns / 1e9);
    t->attached = true;
    t->begun_ns = now_ns();
    return 0;
}

static int
run(struct timed_runs *t, struct report *r)
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
    if (costs_begin(j, &before, r) != 0 || measure(t, r) != 0)
        return -1;
    if (!accepted(t))
        return 0;
    conditions_seconds(t->conditions, "timed", seconds_since(start_ns));
    timed_summarize(t);
    if (!modelled) {
        end_measured(t);
        if (memory_watch_settle(j, r) != 0)
            return -1;
    }
    timed_suspect(t);
    /* Of all timed calls, the warm-up's included. */
    return costs_end(j, &before, j->result.timing.warmup + j->result.timing.sample_count,
                     t->sizes, r);
}

static int
open_seeds(const struct judgement *j, struct seeds *s, struct report *r)
{
    char *source = xasprintf("%s/submission.cu", j->folder);
    int rc = seeds_open(s, j->job.cache_dir, j->problem->slug, source, r);

    free(source);
    return rc;
}

/* Host memory of an answer. */
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
    const int calls = plan_emu.warmup + plan_emu.samples_min, n = j->timed_count;
    struct seeds seeds;

    if (!device_clock_modelled(j->device) || j->job.sample_only || n == calls ||
        (n > 0 && answer_bytes(&j->timed[0]) * (uint64_t)calls > PREPARED_BYTES_MAX))
        return 0;
    if (open_seeds(j, &seeds, r) != 0)
        return -1;
    if (n == 0)
        j->timed = xcalloc((size_t)calls, sizeof *j->timed);
    j->timed_count++; /* what is half made is freed as well */
    return reference_answer(j->reference, &j->problem->benchmark_emu,
                            seeds_call(&seeds, n), &j->timed[n], r) == 0
               ? 1
               : -1;
}

static struct timed_runs *
timing_new(struct judgement *j)
{
    const bool modelled = device_clock_modelled(j->device);
    struct timed_runs *t = xcalloc(1, sizeof *t);

    t->j = j;
    t->test = modelled ? &j->problem->benchmark_emu : &j->problem->benchmark_cuda;
    t->plan = modelled ? plan_emu : plan_cuda;
    t->cpu = -1;
    t->sizes = problem_sizes_text(j->problem, t->test);
    return t;
}

void
timing_free(struct timed_runs *t)
{
    if (t == NULL)
        return;
    quiet_give(t->j->quiet);
    conditions_free(t->conditions);
    answer_free(&t->answer);
    for (int i = 0; i < t->sets; i++)
        call_set_free(&t->set[i]);
    free(t->sample);
    free(t->sizes);
    free(t);
}

int
timing_slots(const struct timed_runs *t)
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
        (device_rates(j->device, &j->timing->rates, r) < 0 ||
         open_seeds(j, &j->timing->seeds, r) != 0))
        return -1;
    return run(j->timing, r);
}
