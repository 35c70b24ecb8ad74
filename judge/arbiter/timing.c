/*
 * Timed runs: each call has inputs of its own, cold caches and checked outputs; each
 * interval is bracketed on its own and is a sample. Nothing that the warm-up does changes
 * how many samples are taken.
 *
 * On a GPU the interval of an empty solve(), measured in the same way on the same
 * buffers, is subtracted: it holds what the protocol costs (the wake-up, the switch
 * between contexts, our copy of the outputs).
 *
 * On emu the time is modelled from counters, and comes out the same whenever the same
 * source is judged: seeds.h says which inputs it gets.
 */
#include "arbiter/timing.h"

#include "arbiter/conditions.h"
#include "arbiter/costs.h"
#include "arbiter/limit.h"
#include "arbiter/progress.h"
#include "arbiter/seeds.h"
#include "arbiter/trial.h"
#include "core/file.h"
#include "core/statistics.h"
#include "emulator/exec/exec.h"

#include <stdio.h>
#include <stdlib.h>

struct plan {
    int warmup, warmup_max; /* the least always, up to the most while warmup_ns last */
    uint64_t warmup_ns;
    int samples_min; /* always taken, whatever they or the warm-up took */
    int samples_max;
    uint64_t budget_ns; /* wall time of the samples; over it samples_min are enough */
    double precision;   /* enough samples: half the interval's width over the median */
    int null_min, null_max;   /* empty calls, after as many to warm up */
    uint64_t null_budget_ns;  /* as budget_ns */
    double null_precision_ns; /* enough: half the interval's width */
};

static const struct plan plan_cuda = {.warmup = 3,
                                      .warmup_max = 100,
                                      .warmup_ns = UINT64_C(200000000),
                                      .samples_min = 16,
                                      .samples_max = 200,
                                      .budget_ns = UINT64_C(1500000000),
                                      .precision = 0.005,
                                      .null_min = 20,
                                      .null_max = 100,
                                      .null_budget_ns = UINT64_C(300000000),
                                      .null_precision_ns = 500};

/* The model starts cold in every call and does not waver: more samples would only show
 * again what depends on the data. */
static const struct plan plan_emu = {
    .warmup = 1, .warmup_max = 1, .samples_min = 3, .samples_max = 3};

/* Answers that are made while nvcc runs take no more host memory than this. */
#define PREPARED_BYTES_MAX ((uint64_t)256 << 20)

#define SLOW_REFERENCE_NS 5000000u
#define SETS_MAX 8
#define SETS_SHARE 16 /* of the card's memory, one part */

/* What the empty call's median was seen to be off from one judgement to the next, beyond
 * its interval (docs/measurements.md): nobody is suspected for so much. */
#define NULL_ERROR_NS 20e3

struct timed_runs {
    struct judgement *j;
    const struct test_case *test;
    struct plan plan;
    struct call_set set[SETS_MAX]; /* of buffers; calls take turns on them */
    int sets, calls;               /* calls so far, empty ones too */
    struct answer answer;
    struct seeds seeds; /* emu only */
    char *sizes;
    bool attached; /* the submission's runner has the buffers mapped */
    struct interval null_interval;
    uint64_t reference_ns;         /* what it took last, among the empty calls */
    int cpu;                       /* of the empty calls */
    struct fill_watch watch;       /* not on emu, whose clock counts the fill, too */
    struct conditions *conditions; /* NULL: not known */
    struct device_rates rates;     /* what the device can do at most; zeros: not known */
};

static uint64_t
seed_of(const struct timed_runs *t, int call)
{
    uint64_t seed;

    if (device_clock_modelled(t->j->device))
        return seeds_call(&t->seeds, call);
    random_bytes(&seed, sizeof seed);
    return seed;
}

static struct call_set *
next_set(struct timed_runs *t)
{
    return &t->set[t->calls++ % t->sets];
}

/* Does the call count? */
static bool
judge_fill(struct timed_runs *t, const struct trial *trial)
{
    const enum fill_finding finding = fill_watch_call(&t->watch, trial->fill_slow);

    if (finding == FILL_DISQUALIFY)
        outcome_set(&t->j->outcome, VERDICT_DISQUALIFIED,
                    "%s: while the judge made the inputs, and the program had nothing to "
                    "do, something else ran on the GPU, for the second time: a kernel "
                    "that an earlier call left there? When solve returns, all its work "
                    "must be done",
                    trial->where);
    return finding == FILL_FINE;
}

static int
timed_call(struct timed_runs *t, int call, const char *what, double *ns, bool *counts,
           struct report *r)
{
    char *where = xasprintf("%s %d (%s)", what, call + 1, t->sizes);
    const bool prepared = call < t->j->timed_count;
    struct trial trial = {.set = next_set(t),
                          .answer = prepared ? &t->j->timed[call] : &t->answer,
                          .where = where,
                          .benchmark = true,
                          .attach = !t->attached,
                          .timed = true,
                          .cpu = t->cpu,
                          .watch = &t->watch};
    int rc = prepared ? 0
                      : reference_answer(t->j->reference, t->test, seed_of(t, call),
                                         &t->answer, r);

    if (rc == 0)
        rc = trial_run(t->j, &trial, r);
    t->attached = true;
    if (rc == 0) {
        *ns = trial.ns;
        *counts = judge_fill(t, &trial);
    }
    free(where);
    return rc;
}

/* Is another empty call to be timed, after n of them? */
static bool
wants_more_null(const struct plan *p, const double *ns, int n, uint64_t spent_ns)
{
    struct interval i;

    if (n < p->null_min)
        return true;
    if (n >= p->null_max || spent_ns > p->null_budget_ns)
        return false;
    i = median_interval(ns, n);
    return i.high - i.low > 2 * p->null_precision_ns;
}

/* One empty call, with all that goes before one of the submission's: the reference's,
 * too, which leaves caches as it leaves them, unless that takes so long that nobody
 * minds. */
static int
null_call(struct timed_runs *t, struct null_trial *trial, struct report *r)
{
    const uint64_t start_ns = now_ns();
    int rc = 0;

    if (t->reference_ns < SLOW_REFERENCE_NS) {
        rc = reference_answer(t->j->reference, t->test, seed_of(t, 0), &t->answer, r);
        if (!trial->attach) /* not the first */
            t->reference_ns = now_ns() - start_ns;
    }
    trial->set = next_set(t);
    if (rc == 0)
        rc = trial_run_null(t->j, trial, r);
    trial->attach = false;
    return rc;
}

/* The interval of the empty solve(), and how long our own work before a call takes. */
static int
measure_null(struct timed_runs *t, struct report *r)
{
    const struct plan *p = &t->plan;
    const size_t max = (size_t)p->null_max;
    double *ns = xcalloc(3 * max, sizeof *ns), *fill_ns = ns + max,
           *flush_ns = fill_ns + max;
    struct null_trial trial = {.answer = &t->answer, .attach = true, .cpu = -1};
    uint64_t start_ns;
    int n = 0, rc = 0;

    start_ns = now_ns();
    for (int i = 0; rc == 0 && (i < p->warmup || (i < p->warmup_max &&
                                                  now_ns() - start_ns < p->warmup_ns));
         i++)
        rc = null_call(t, &trial, r);
    start_ns = now_ns();
    while (rc == 0 && wants_more_null(p, ns, n, now_ns() - start_ns)) {
        rc = null_call(t, &trial, r);
        ns[n] = trial.ns;
        fill_ns[n] = trial.fill_ns;
        flush_ns[n++] = trial.flush_ns;
    }
    if (rc == 0) {
        t->j->result.timing.null_ns = quantile(ns, n, 0.5);
        t->null_interval = median_interval(ns, n);
        conditions_null(t->conditions, ns, n);
        t->cpu = trial.cpu;
        t->watch.fill_ns = quantile(fill_ns, n, 0.5);
        t->watch.flush_ns = quantile(flush_ns, n, 0.5);
    }
    free(ns);
    /* Its context would only take turns with the submission's. */
    runner_link_free(t->j->null_runner);
    t->j->null_runner = NULL;
    return rc;
}

static bool
accepted(const struct timed_runs *t)
{
    return t->j->outcome.verdict == VERDICT_ACCEPTED;
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
    return i.high - i.low > 2 * p->precision * quantile(out->sample_ns, n, 0.5);
}

static int
measure(struct timed_runs *t, struct report *r)
{
    struct timing *out = &t->j->result.timing;
    const struct plan *p = &t->plan;
    uint64_t start_ns;
    double ns = 0;
    bool counts = true;

    start_ns = now_ns();
    while (accepted(t) &&
           (out->warmup < p->warmup ||
            (out->warmup < p->warmup_max && now_ns() - start_ns < p->warmup_ns))) {
        if (timed_call(t, out->warmup, "warm-up", &ns, &counts, r) != 0)
            return -1;
        out->warmup++;
    }
    out->sample_ns = xcalloc((size_t)p->samples_max, sizeof *out->sample_ns);
    start_ns = now_ns(); /* how long the warm-up took must not count */
    while (accepted(t) && wants_more(t, now_ns() - start_ns)) {
        const int n = out->sample_count;

        if (timed_call(t, out->warmup + n, "timed run", &ns, &counts, r) != 0)
            return -1;
        if (!accepted(t))
            break;
        if (!counts)
            continue;
        ns -= out->null_ns;
        out->sample_ns[out->sample_count++] = ns; /* below 0: as long as an empty call */
        conditions_sample(t->conditions);
        progress("timing", n + 1, n + 1 > p->samples_min ? n + 1 : p->samples_min);
    }
    return 0;
}

/* The samples have the null interval's median subtracted already. */
static struct interval
interval_of(const struct timed_runs *t)
{
    const struct timing *out = &t->j->result.timing;
    struct interval i = {out->median_ns, out->median_ns};

    if (out->modelled)
        return i;
    i = median_interval(out->sample_ns, out->sample_count);
    i.low += out->null_ns;
    i.high += out->null_ns;
    return interval_difference(out->median_ns + out->null_ns, i, out->null_ns,
                               t->null_interval);
}

static double
time_at(const struct timing *out, double q)
{
    const double ns = quantile(out->sample_ns, out->sample_count, q);

    return ns > 0 ? ns : 0;
}

static void
summarize(struct timed_runs *t)
{
    struct timing *out = &t->j->result.timing;
    struct interval i;

    out->present = true;
    out->modelled = device_clock_modelled(t->j->device);
    out->median_ns = time_at(out, 0.5);
    out->q1_ns = time_at(out, 0.25);
    out->q3_ns = time_at(out, 0.75);
    i = interval_of(t);
    out->low_ns = i.low > 0 ? i.low : 0;
    out->high_ns = i.high;
    out->work_bytes = problem_work_bytes(t->j->problem, t->test);
    out->work_flops = problem_work_flops(t->j->problem, t->test);
    out->sizes = xstrdup(t->sizes);
}

static double
output_bytes(const struct timed_runs *t)
{
    double bytes = 0;

    for (int i = 0; i < t->j->problem->param_count; i++)
        if (param_is_output(&t->j->problem->param[i]))
            bytes += (double)t->set[0].extent[i].bytes;
    return bytes;
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

/* How near the hardware's limit the median is; below it nobody did the work. */
static void
judge_limit(struct timed_runs *t)
{
    struct timing *out = &t->j->result.timing;
    const struct work work = {.bytes = out->work_bytes,
                              .flops = out->work_flops,
                              .output_bytes = output_bytes(t),
                              .buffer_bytes = buffer_bytes(t),
                              .unit = t->j->problem->work_unit,
                              .gpus = t->j->problem->gpus};
    const struct limit limit = limit_of(&t->rates, &work);
    const double surely = out->high_ns + (out->modelled ? 0 : NULL_ERROR_NS);

    if (!(limit.ns > 0))
        return;
    out->limit_ns = limit.ns;
    out->limit_by = xstrdup(limit.by);
    switch (limit_judge(&limit, out->median_ns, surely)) {
    case LIMIT_FAR:
        break;
    case LIMIT_NEAR:
        out->review = true;
        break;
    case LIMIT_BEATEN:
        outcome_set(&t->j->outcome, VERDICT_DISQUALIFIED,
                    "the timed calls took %.2f us (95%% sure: at most %.2f us), but this "
                    "problem's work at %s takes the device %.2f us at the very least: it "
                    "cannot have been done in the timed calls",
                    out->median_ns / 1000, out->high_ns / 1000, t->sizes,
                    limit.floor_ns / 1000);
        break;
    }
}

/* On a GPU what the protocol costs and what the card can do are measured while no process
 * of the submission exists: one that slowed them down would have its own time shortened,
 * or the limit moved. */
static int
begin_measured(struct timed_runs *t, struct report *r)
{
    struct judgement *j = t->j;
    const double tests = (double)(now_ns() - j->go_ns) / 1e9;
    uint64_t start_ns;

    judgement_stop_runner(j);
    t->conditions = conditions_begin(j->device, j->config.home);
    conditions_seconds(t->conditions, "prepare", (double)j->prepare_ns / 1e9);
    conditions_seconds(t->conditions, "tests", tests);
    start_ns = now_ns();
    if (measure_null(t, r) != 0)
        return -1;
    conditions_seconds(t->conditions, "empty", (double)(now_ns() - start_ns) / 1e9);
    return judgement_start_runner(j, r);
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
 * lie (docs/measurements.md). So calls take turns on several sets of them, as far as they
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
    return 0;
}

static int
run(struct timed_runs *t, struct report *r)
{
    struct judgement *j = t->j;
    const bool modelled = device_clock_modelled(j->device);
    struct counters before;
    uint64_t start_ns;

    if (alloc_sets(t, r) != 0 || (!modelled && begin_measured(t, r) != 0) ||
        device_set_checks(j->device, false, r) != 0)
        return -1;
    start_ns = now_ns();
    if (costs_begin(j, &before, r) != 0 || measure(t, r) != 0)
        return -1;
    if (!accepted(t))
        return 0;
    conditions_seconds(t->conditions, "timed", (double)(now_ns() - start_ns) / 1e9);
    summarize(t);
    if (!modelled)
        end_measured(t);
    judge_limit(t);
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

int
timing_run(struct judgement *j, struct report *r)
{
    const bool modelled = device_clock_modelled(j->device);
    struct timed_runs t = {
        .j = j,
        .test = modelled ? &j->problem->benchmark_emu : &j->problem->benchmark_cuda,
        .plan = modelled ? plan_emu : plan_cuda,
        .cpu = -1,
    };
    int rc;

    t.sizes = problem_sizes_text(j->problem, t.test);
    rc = modelled && (device_rates(j->device, &t.rates, r) < 0 ||
                      open_seeds(j, &t.seeds, r) != 0)
             ? -1
             : 0;
    if (rc == 0)
        rc = run(&t, r);
    conditions_free(t.conditions);
    answer_free(&t.answer);
    for (int i = 0; i < t.sets; i++)
        call_set_free(&t.set[i]);
    free(t.sizes);
    return rc;
}
