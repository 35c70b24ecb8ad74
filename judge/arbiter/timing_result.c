/* What follows from the samples: the time, its interval, what it is suspected of, and
 * what is to be said of it. */
#include "arbiter/limit.h"
#include "arbiter/timing_impl.h"
#include "core/buf.h"

#include <stdlib.h>

/* What the empty call's median was seen to be off from one judgement to the next, beyond
 * its interval (docs/measurements/clock.md): nobody is suspected for so much. */
#define EMPTY_ERROR_NS 20e3

double
timed_value(const struct sample *s, double empty_ns)
{
    return s->whole ? s->fill_ns + s->ns : s->ns + s->copy_gain_ns - empty_ns;
}

/* What the samples' median would be if an empty call took empty_ns. */
static double
median_if(const struct timed_runs *t, double empty_ns)
{
    const int n = t->j->result.timing.sample_count;
    double *ns = xcalloc((size_t)n, sizeof *ns);
    double median;

    for (int i = 0; i < n; i++)
        ns[i] = timed_value(&t->sample[i], empty_ns);
    median = quantile(ns, n, 0.5);
    free(ns);
    return median;
}

/* Of the samples' median, and of what the empty call's median has in it: as much of the
 * latter's interval as the former moves by. Where none counts whole that is the
 * difference of both medians. */
static struct interval
interval_of(const struct timed_runs *t)
{
    const struct timing *out = &t->j->result.timing;
    const double median = quantile(out->sample_ns, out->sample_count, 0.5);
    const struct interval empty = t->empty.interval;
    struct interval moved, i = {median, median};

    if (out->modelled)
        return i;
    i = median_interval(out->sample_ns, out->sample_count);
    moved = (struct interval){.low = median - median_if(t, empty.low),
                              .high = median - median_if(t, empty.high)};
    return interval_difference(median, i, 0, moved);
}

static double
time_at(const struct timing *out, double q)
{
    const double ns = quantile(out->sample_ns, out->sample_count, q);

    return ns > 0 ? ns : 0;
}

/* A card takes a third of a millisecond to turn to a program's context and back; every
 * interval has that, the empty solve()'s too. Whose interval does not, had no kernel run:
 * copy engines and the host can do without. That is so of the intervals themselves,
 * whatever they count. */
static void
judge_absence(struct timed_runs *t)
{
    const int n = t->j->result.timing.sample_count;
    double *ns = xcalloc((size_t)n, sizeof *ns);
    struct interval i;
    double median;

    for (int k = 0; k < n; k++)
        ns[k] = t->sample[k].ns + t->sample[k].copy_gain_ns;
    median = quantile(ns, n, 0.5);
    i = interval_difference(median, median_interval(ns, n), t->empty.median_ns,
                            t->empty.interval);
    free(ns);
    if (i.high >= -EMPTY_ERROR_NS)
        return;
    outcome_set(
        &t->j->outcome, VERDICT_DISQUALIFIED,
        "the timed calls ended %.0f us (95%% sure: at least %.0f us) sooner than a "
        "solve() that launches an empty kernel: the answers were not made on the "
        "GPU",
        (t->empty.median_ns - median) / 1000, -i.high / 1000);
    judgement_doubt(t->j);
}

void
timed_summarize(struct timed_runs *t)
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
    out->high_ns = i.high > 0 ? i.high : 0;
    out->work_bytes = problem_work_bytes(t->j->problem, t->test);
    out->work_flops = problem_work_flops(t->j->problem, t->test);
    out->sizes = xstrdup(t->sizes);
    if (!out->modelled)
        judge_absence(t);
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

/* How near the hardware's limit the median is; below it nobody did the work. */
static void
judge_limit(struct timed_runs *t)
{
    struct timing *out = &t->j->result.timing;
    const struct work work = {.bytes = out->work_bytes,
                              .flops = out->work_flops,
                              .output_bytes = output_bytes(t),
                              .buffer_bytes = t->buffer_bytes,
                              .unit = t->j->problem->work_unit,
                              .gpus = t->j->problem->gpus};
    const struct limit limit = limit_of(&t->rates, &work);
    const double surely = out->high_ns + (out->modelled ? 0 : EMPTY_ERROR_NS);

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
        if (t->j->outcome.verdict != VERDICT_ACCEPTED)
            break;
        outcome_set(&t->j->outcome, VERDICT_DISQUALIFIED,
                    "the timed calls took %.2f us (95%% sure: at most %.2f us), but this "
                    "problem's work at %s takes the device %.2f us at the very least: it "
                    "cannot have been done in the timed calls",
                    out->median_ns / 1000, out->high_ns / 1000, t->sizes,
                    limit.floor_ns / 1000);
        judgement_doubt(t->j);
        break;
    }
}

/* Where so many calls count whole that they are in the median's interval. */
static void
say_whole(struct timed_runs *t)
{
    struct timing *out = &t->j->result.timing;
    char *before = out->remark; /* the card was not as usual, either */
    int whole = 0;

    for (int i = 0; i < out->sample_count; i++)
        whole += t->sample[i].whole;
    if (whole == 0 || whole < median_interval_rank(out->sample_count))
        return;
    out->remark = xasprintf(
        "%s%s%d of %d timed calls sent more than %.0f kB, and 250 bytes a us, over the "
        "card's bus: the host may have worked while the card turned to this program, so "
        "they count from where their inputs began to be made, and nothing is subtracted",
        before != NULL ? before : "", before != NULL ? "; " : "", whole,
        out->sample_count, t->bus_free / 1e3);
    free(before);
}

void
timed_suspect(struct timed_runs *t)
{
    judge_limit(t);
    say_whole(t);
}
