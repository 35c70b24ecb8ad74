/* Writes what follows from the samples (timing_policy.h) to the judgement's result: the
 * time, its interval, whether it disqualifies or needs a review, and its remark. */
#include "arbiter/measuring/timed_benchmark.h"
#include "base/buf.h"

#include <stdlib.h>

/* The samples of the calls that count. The caller frees them. */
static struct sample *
samples_of(const struct timed_benchmark *t, int *n)
{
    const struct timing_terms terms = timed_terms(t);
    struct sample *s = xcalloc((size_t)t->plan->samples_max, sizeof *s);

    *n = timing_samples(&terms, t->log.call, t->log.count, s);
    return s;
}

static void
judge_absence(struct timed_benchmark *t, const struct sample *samples, int n)
{
    const struct timing_absence a = timing_absence(&t->empty, samples, n);

    if (!a.found)
        return;
    outcome_set(
        &t->j->outcome, VERDICT_DISQUALIFIED,
        "the timed calls ended %.0f us (95%% sure: at least %.0f us) sooner than a "
        "solve() that launches an empty kernel: the answers were not made on the "
        "GPU",
        a.sooner_ns / 1000, a.surely_ns / 1000);
    judgement_doubt(t->j);
}

void
timed_summarize(struct timed_benchmark *t)
{
    struct timing *out = &t->j->result.timing;
    int n;
    struct sample *samples = samples_of(t, &n);
    const bool modelled = device_clock_modelled(t->j->device);
    const struct timed_result r = timing_result(&t->empty, samples, n, modelled);

    out->present = true;
    out->modelled = modelled;
    out->median_ns = r.median_ns;
    out->q1_ns = r.q1_ns;
    out->q3_ns = r.q3_ns;
    out->low_ns = r.interval.low;
    out->high_ns = r.interval.high;
    out->work_bytes = problem_work_bytes(t->j->problem, t->test);
    out->work_flops = problem_work_flops(t->j->problem, t->test);
    out->sizes = xstrdup(t->sizes);
    out->sample_count = n;
    out->sample_ns = xcalloc((size_t)n, sizeof *out->sample_ns);
    for (int i = 0; i < n; i++)
        out->sample_ns[i] = timing_value(&samples[i], out->empty_ns);
    if (!modelled)
        judge_absence(t, samples, n);
    free(samples);
}

static double
output_bytes(const struct timed_benchmark *t)
{
    double bytes = 0;

    for (int i = 0; i < t->j->problem->param_count; i++)
        if (param_is_output(&t->j->problem->param[i]))
            bytes += (double)t->set[0].extent[i].bytes;
    return bytes;
}

/* Compares the time with the hardware's limit. A time below the floor disqualifies. */
static void
judge_limit(struct timed_benchmark *t)
{
    struct timing *out = &t->j->result.timing;
    const struct work work = {.bytes = out->work_bytes,
                              .flops = out->work_flops,
                              .output_bytes = output_bytes(t),
                              .buffer_bytes = t->buffer_bytes,
                              .unit = t->j->problem->work_unit,
                              .gpus = t->j->problem->gpus};
    const struct limit limit = limit_of(&t->rates, &work);
    const struct timed_result r = {.median_ns = out->median_ns,
                                   .interval = {out->low_ns, out->high_ns}};

    if (!(limit.ns > 0))
        return;
    out->roofline_ns = limit.ns;
    out->roofline_by = xstrdup(limit.by);
    switch (timing_limit(&limit, &r, out->modelled)) {
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

/* Says in a remark why intervals are full, if enough are to be in the median's interval.
 */
static void
say_full(struct timed_benchmark *t)
{
    struct timing *out = &t->j->result.timing;
    int n;
    struct sample *samples = samples_of(t, &n);
    const int full = timing_full_samples(samples, n);

    free(samples);
    if (full == 0)
        return;
    timing_fields_remark(
        out,
        xasprintf("%d of %d timed calls sent more than %.0f kB, and 250 bytes a us, over "
                  "the GPU's bus: the host may have worked while the GPU turned to this "
                  "program, so they count from where their inputs began to be made, and "
                  "nothing is subtracted",
                  full, n, t->bus_free / 1e3));
}

void
timed_judge(struct timed_benchmark *t)
{
    judge_limit(t);
    say_full(t);
}
