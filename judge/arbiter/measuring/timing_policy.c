#include "arbiter/measuring/timing_policy.h"

#include "arbiter/measuring/bus_watch.h"
#include "arbiter/measuring/host_busy.h"
#include "base/buf.h"

#include <stdlib.h>

const struct timing_plan timing_plan_gpu = {.warmup = 3,
                                            .warmup_max = 100,
                                            .warmup_ns = UINT64_C(200000000),
                                            .awake_ns = UINT64_C(20000000),
                                            .settle_ns = UINT64_C(400000000),
                                            .samples_min = 16,
                                            .samples_max = 200,
                                            .budget_ns = UINT64_C(1500000000),
                                            .precision = 0.005,
                                            .precision_ns = 1000,
                                            .empty_min = 12,
                                            .empty_max = TIMED_EMPTY_MAX,
                                            .empty_budget_ns = UINT64_C(300000000),
                                            .empty_precision_ns = 1000};

const struct timing_plan timing_plan_emu = {
    .warmup = 1, .warmup_max = 1, .samples_min = 3, .samples_max = 16, .cost_ms = 30};

/* Of four CPUs, with a kernel that keeps one of them busy. A call of one that keeps all
 * busy costs a third of it. */
#define COST_BYTES_PER_MS 3e6
#define COST_FLOPS_PER_MS 1e6
#define COST_WORK_PER_MS 60e3

double
timing_cost_ms(double buffer_bytes, double flops, uint64_t work)
{
    return buffer_bytes / COST_BYTES_PER_MS + flops / COST_FLOPS_PER_MS +
           (double)work / COST_WORK_PER_MS;
}

int
timing_plan_samples(const struct timing_plan *p, double cost_ms)
{
    const int most = p->samples_max - p->samples_min;

    if (cost_ms * most <= p->cost_ms)
        return p->samples_max;
    return p->samples_min + (int)(p->cost_ms / cost_ms);
}

/* The elapsed time after n calls. */
static uint64_t
elapsed_ns(const struct timed_call *calls, int n)
{
    return n > 0 ? calls[n - 1].ended_ns : 0;
}

/* How many calls the warm-up has had. */
static int
warm_up_calls(const struct timed_call *calls, int n)
{
    int warm = 0;

    while (warm < n && !calls[warm].sample)
        warm++;
    return warm;
}

/* How long a warm-up takes. */
static uint64_t
warm_up_ns(const struct timing_plan *p, bool awake)
{
    return awake ? p->awake_ns : p->warmup_ns;
}

/* Has a warm-up been long enough? */
static bool
is_long_enough(const struct timing_plan *p, bool awake, int calls, uint64_t spent_ns)
{
    return calls >= p->warmup &&
           (calls >= p->warmup_max || spent_ns >= warm_up_ns(p, awake));
}

/* --- 1. the empty calls ---------------------------------------------------- */

#define SLOW_REFERENCE_NS 5000000u
#define SLOW_REFERENCES_MAX 3 /* one may be slow by chance */

/* The empty calls that count and that were asked for as one kind. */
struct empty_kind {
    int tries; /* calls, whatever kind they came out as */
    int count; /* those that came out as the kind that was asked */
    double ns[TIMED_EMPTY_MAX], copy_ns[TIMED_EMPTY_MAX];
    bool begun;
    uint64_t begun_ns;
};

struct empty_series {
    struct empty_kind kind[2]; /* index: timed_call.behind */
    double fill_ns[2 * TIMED_EMPTY_MAX], bus_bytes[2 * TIMED_EMPTY_MAX];
    int calls;
    struct host_busy host;
    uint64_t uncounted_ns;
};

static void
empty_add(struct empty_series *s, const struct timed_call *call, uint64_t before_ns)
{
    struct empty_kind *k = &s->kind[call->behind];

    if (!k->begun)
        k->begun_ns = before_ns;
    k->begun = true;
    if (!call->locked ||
        !host_busy_counts(&s->host, call->behind && call->late, call->preempted)) {
        s->uncounted_ns += call->ended_ns - before_ns;
        if (!call->locked)
            k->begun_ns = call->ended_ns;
        return;
    }
    s->fill_ns[s->calls] = call->fill_ns;
    s->bus_bytes[s->calls++] = call->bus_bytes;
    k->tries++;
    if (call->copied_behind != call->behind)
        return;
    k->copy_ns[k->count] = call->copy_ns;
    k->ns[k->count++] = call->ns;
}

static struct empty_series *
empty_series(const struct timed_call *calls, int n)
{
    struct empty_series *s = xcalloc(1, sizeof *s);

    for (int i = warm_up_calls(calls, n); i < n; i++)
        empty_add(s, &calls[i], elapsed_ns(calls, i));
    return s;
}

static bool
empty_wants_more(const struct timing_plan *p, const struct empty_kind *k, uint64_t now_ns)
{
    struct interval i;

    if (k->tries < p->empty_min)
        return true;
    if (k->tries >= p->empty_max || now_ns - k->begun_ns > p->empty_budget_ns ||
        k->count == 0)
        return false;
    i = median_interval(k->ns, k->count);
    return i.high - i.low > 2 * p->empty_precision_ns;
}

/* Did most calls of this kind come out as the other one? If that is so of calls that
 * should have been copied behind the work, this host is too slow for that kind. */
static bool
empty_kind_fails(const struct empty_kind *k)
{
    return 2 * k->count < k->tries || k->count == 0;
}

enum empty_next
timing_empty_next(const struct timing_plan *p, bool awake, bool can_be_behind,
                  const struct timed_call *calls, int n)
{
    const uint64_t now_ns = elapsed_ns(calls, n);
    const int warm = warm_up_calls(calls, n);
    struct empty_series *s;
    enum empty_next next;

    if (warm == n && !is_long_enough(p, awake, n, now_ns))
        return EMPTY_WARM_UP;
    s = empty_series(calls, n);
    if (host_busy_always(&s->host))
        next = EMPTY_HOST_BUSY;
    else if (can_be_behind && empty_wants_more(p, &s->kind[true], now_ns))
        next = EMPTY_BEHIND;
    else if (can_be_behind && !empty_kind_fails(&s->kind[true]))
        next = EMPTY_ENOUGH;
    else
        next = empty_wants_more(p, &s->kind[false], now_ns) ? EMPTY_AFTER : EMPTY_ENOUGH;
    free(s);
    return next;
}

bool
timing_empty_wants_reference(const struct timed_call *calls, int n)
{
    int slow = 0;

    /* The first call is slow anyway, and beside a neighbour any call may be. */
    for (int i = 1; i < n; i++)
        slow += calls[i].undisturbed && calls[i].reference_ns > SLOW_REFERENCE_NS;
    return slow < SLOW_REFERENCES_MAX;
}

void
timing_empty_times(bool can_be_behind, const struct timed_call *calls, int n,
                   struct empty_times *out)
{
    struct empty_series *s = empty_series(calls, n);
    const bool behind = can_be_behind && !empty_kind_fails(&s->kind[true]);
    const struct empty_kind *k = &s->kind[behind];

    *out = (struct empty_times){.behind = behind,
                                .count = k->count,
                                .late = s->host.late,
                                .preempted = s->host.preempted,
                                .uncounted_ns = s->uncounted_ns};
    for (int i = 0; i < k->count; i++)
        out->ns[i] = k->ns[i];
    if (k->count > 0) {
        out->median_ns = quantile(k->ns, k->count, 0.5);
        out->median_copy_ns = quantile(k->copy_ns, k->count, 0.5);
        out->interval = median_interval(k->ns, k->count);
        out->usual_fill_ns = quantile(s->fill_ns, s->calls, 0.5);
        out->bus_bytes = quantile(s->bus_bytes, s->calls, 0.5);
    }
    free(s);
}

/* --- 2. the submission's warm-up ------------------------------------------- */

/* The number of last calls of the warm-up that decide of which kind the samples will be.
 * Half of them may miss the copy behind the work. */
#define WARM_UP_LAST 8

static bool
half_is_over(const struct timing_terms *t, int calls, uint64_t spent_ns)
{
    return 2 * calls >= t->plan->warmup_max ||
           2 * spent_ns >= warm_up_ns(t->plan, t->awake);
}

bool
timing_wants_lock(const struct timing_terms *t, const struct timed_call *calls, int n)
{
    const bool warms_up = warm_up_calls(calls, n) == n;

    return warms_up && half_is_over(t, n, elapsed_ns(calls, n));
}

/* Were at least half of the warm-up's last calls copied behind their work? */
static bool
are_behind(const struct timing_terms *t, const struct timed_call *calls, int warm)
{
    const int of = warm < WARM_UP_LAST ? warm : WARM_UP_LAST;
    int missed = 0;

    for (int i = warm - of; i < warm; i++)
        missed += !calls[i].copied_behind;
    return t->empty->behind && 2 * missed <= of;
}

/* Is it known of which kind the samples will be? A neighbour's work may have spoilt the
 * last calls. Then more are made beside which it does nothing, up to settle_ns. */
static bool
is_settled(const struct timing_terms *t, const struct timed_call *calls, int warm)
{
    int alone = 0;

    for (int i = 0; i < warm; i++)
        alone += calls[i].locked && calls[i].undisturbed;
    return !t->empty->behind || alone >= WARM_UP_LAST || are_behind(t, calls, warm) ||
           elapsed_ns(calls, warm) >= t->plan->settle_ns;
}

/* --- 3. the samples -------------------------------------------------------- */

/* Half of the samples and so many more may miss the copy behind the work, since a busy
 * host may delay a launch. */
#define MISSED_MAX 2

/* With more calls that are discarded for a busy host or a neighbour nothing can be timed.
 */
#define BUSY_MAX 100

/* How often our own work before the call was slow for no reason of ours. A neighbour may
 * have been the reason, by its work in the warm-up, and by a context that it makes in any
 * call. A kernel that the submission has left is there in later calls, too. */
static int
slow_fills(const struct timed_call *call)
{
    return call->undisturbed ? call->slow_fills : 0;
}

enum fill_finding
timing_fill(const struct timed_call *calls, int n)
{
    struct fill_watch w = {0};
    enum fill_finding last = FILL_FINE;

    for (int i = 0; i < n; i++)
        last = fill_watch_call(&w, slow_fills(&calls[i]));
    return last;
}

/* Was the copy behind the work too early? */
static bool
has_missed(const struct timed_call *call)
{
    return call->behind && !call->copied_behind;
}

/* Does the call count as a sample? If our thread had lost its CPU, or a neighbour made a
 * context, our slow work is no evidence, but it left the caches other than usual. So such
 * a call does not count. */
static bool
call_counts(const struct timed_call *call)
{
    return call->slow_fills == 0 && call->busy_fills == 0;
}

int
timing_busy_calls(const struct timed_call *calls, int n)
{
    int busy = 0;

    for (int i = 0; i < n; i++)
        busy += calls[i].busy_fills > 0 ||
                (calls[i].sample && calls[i].slow_fills > 0 && !calls[i].undisturbed);
    return busy;
}

bool
timing_host_is_busy(const struct timed_call *calls, int n)
{
    return timing_busy_calls(calls, n) > BUSY_MAX;
}

bool
timing_meter_stopped(const struct timing_terms *t, const struct timed_call *call)
{
    return t->metered && t->empty->bus_bytes >= 0 && call->bus_bytes < 0;
}

/* The index of the first call that may be a sample. A call whose copy came too early has
 * the interval of its second copy, so that nobody gains by that. If most calls are so,
 * the submission's calls are not of the kind that they seemed to be. Then the samples
 * begin anew after the call that shows it. From there on outputs are copied after DONE,
 * so that this happens once at most. Beside a context that a neighbour makes a copy may
 * come too early for its sake. That shows nothing, but the call counts: else a program
 * could choose which of its calls do. */
static int
samples_begin(const struct timed_call *calls, int n)
{
    const int warm = warm_up_calls(calls, n);
    int missed = 0, samples = 0;

    for (int i = warm; i < n; i++) {
        const bool shows = has_missed(&calls[i]) && calls[i].undisturbed;

        missed += shows;
        if (shows && 2 * (missed - MISSED_MAX) > samples)
            return i + 1;
        samples += call_counts(&calls[i]);
    }
    return warm;
}

/* The cost of the cheapest call so far. If it were that of the last one, a program could
 * end the samples with one that costs much, when it likes those that it has. */
static double
cheapest_ms(const struct timed_call *calls, int n)
{
    double cheapest = calls[0].cost_ms;

    for (int i = 1; i < n; i++)
        if (calls[i].cost_ms < cheapest)
            cheapest = calls[i].cost_ms;
    return cheapest;
}

/* Is another sample needed? The interval is looked at after each sample, so that its
 * confidence is a little less than 95% (docs/timing.md). */
static bool
wants_more(const struct timing_plan *p, const double *ns, int n, uint64_t spent_ns)
{
    struct interval i;

    if (n < p->samples_min)
        return true;
    if (n >= p->samples_max || spent_ns > p->budget_ns)
        return false;
    i = median_interval(ns, n);
    return i.high - i.low > p->precision * quantile(ns, n, 0.5) &&
           i.high - i.low > 2 * p->precision_ns;
}

static struct timing_next
next_sample(const struct timing_terms *t, const struct timed_call *calls, int n)
{
    const int begin = samples_begin(calls, n);
    struct sample *sample = xcalloc((size_t)t->plan->samples_max, sizeof *sample);
    double *ns = xcalloc((size_t)t->plan->samples_max, sizeof *ns);
    struct timing_next next = {.what = TIMING_ENOUGH,
                               .behind = begin < n && calls[n - 1].behind,
                               .begins = begin == n,
                               .samples = timing_samples(t, calls, n, sample)};

    for (int i = 0; i < next.samples; i++)
        ns[i] = timing_value(&sample[i], t->empty->median_ns);
    if (t->plan->cost_ms > 0
            ? next.samples < timing_plan_samples(t->plan, cheapest_ms(calls, n))
            : wants_more(t->plan, ns, next.samples,
                         elapsed_ns(calls, n) - elapsed_ns(calls, begin)))
        next.what = TIMING_SAMPLE;
    free(sample);
    free(ns);
    return next;
}

struct timing_next
timing_next(const struct timing_terms *t, const struct timed_call *calls, int n,
            bool locked)
{
    const uint64_t now_ns = elapsed_ns(calls, n);

    if (warm_up_calls(calls, n) < n)
        return next_sample(t, calls, n);
    if (half_is_over(t, n, now_ns) && locked &&
        is_long_enough(t->plan, t->awake, n, now_ns) && is_settled(t, calls, n))
        return (struct timing_next){
            .what = TIMING_SAMPLE, .behind = are_behind(t, calls, n), .begins = true};
    /* The first call is copied after DONE: its memory is looked at while it runs. */
    return (struct timing_next){.what = TIMING_WARM_UP,
                                .behind = t->empty->behind && n > 0};
}

/* --- 4. the result --------------------------------------------------------- */

/* Beyond its interval, the empty calls' median was seen to differ by this from one
 * judgement to the next (docs/measurements/clock.md). Nobody is disqualified for less. */
#define EMPTY_ERROR_NS 20e3

/* By how much the copy behind the work was quicker than an empty call's. It finds in the
 * cache what a kernel has just written, whereas an empty solve() leaves a flushed cache.
 * That is up to 3 us, which the submission did not earn. A copy that takes longer is not
 * made up for: else a submission could slow it down and write its last outputs
 * meanwhile. */
static double
copy_gain_ns(const struct timing_terms *t, const struct timed_call *call)
{
    const double gain = t->empty->median_copy_ns - call->copy_ns;

    return t->empty->behind && call->copied_behind && gain > 0 ? gain : 0;
}

double
timing_bus_bytes(const struct timing_terms *t, const struct timed_call *call)
{
    return bus_beyond_empty(t->empty->bus_bytes, call->bus_bytes);
}

struct sample
timing_sample(const struct timing_terms *t, const struct timed_call *call)
{
    const double free =
        t->bus_free + bus_free_of_launches(call->ns - t->empty->median_ns);

    return (struct sample){.ns = call->ns,
                           .copy_gain_ns = copy_gain_ns(t, call),
                           .fill_ns = call->fill_ns,
                           .full = timing_bus_bytes(t, call) > free};
}

double
timing_value(const struct sample *s, double empty_ns)
{
    return s->full ? s->fill_ns + s->ns : s->ns + s->copy_gain_ns - empty_ns;
}

int
timing_samples(const struct timing_terms *t, const struct timed_call *calls, int n,
               struct sample *out)
{
    int samples = 0;

    for (int i = samples_begin(calls, n); i < n && samples < t->plan->samples_max; i++)
        if (call_counts(&calls[i]))
            out[samples++] = timing_sample(t, &calls[i]);
    return samples;
}

/* Each sample's value if an empty call takes empty_ns. The caller frees them. */
static double *
sample_values(const struct sample *samples, int n, double empty_ns)
{
    double *ns = xcalloc((size_t)n, sizeof *ns);

    for (int i = 0; i < n; i++)
        ns[i] = timing_value(&samples[i], empty_ns);
    return ns;
}

static double
median_if(const struct sample *samples, int n, double empty_ns)
{
    double *ns = sample_values(samples, n, empty_ns);
    const double median = quantile(ns, n, 0.5);

    free(ns);
    return median;
}

/* The interval of the time, made of two: that of the samples' median, and what the time
 * moves by within the interval of the empty calls' median. Without full intervals that is
 * the interval of the difference of both medians. */
static struct interval
result_interval(const struct empty_times *empty, const struct sample *samples, int n,
                const double *ns)
{
    const double median = quantile(ns, n, 0.5);
    const struct interval moved = {
        .low = median - median_if(samples, n, empty->interval.low),
        .high = median - median_if(samples, n, empty->interval.high)};

    return interval_difference(median, median_interval(ns, n), 0, moved);
}

static double
not_below_0(double ns)
{
    return ns > 0 ? ns : 0;
}

struct timed_result
timing_result(const struct empty_times *empty, const struct sample *samples, int n,
              bool modelled)
{
    double *ns = sample_values(samples, n, empty->median_ns);
    const double median = quantile(ns, n, 0.5);
    const struct interval i =
        modelled ? redrawn_interval(ns, n) : result_interval(empty, samples, n, ns);
    const struct timed_result r = {
        .median_ns = not_below_0(median),
        .q1_ns = not_below_0(quantile(ns, n, 0.25)),
        .q3_ns = not_below_0(quantile(ns, n, 0.75)),
        .interval = {.low = not_below_0(i.low), .high = not_below_0(i.high)}};

    free(ns);
    return r;
}

struct timing_absence
timing_absence(const struct empty_times *empty, const struct sample *samples, int n)
{
    double *ns = xcalloc((size_t)n, sizeof *ns);
    struct interval i;
    double median;

    for (int k = 0; k < n; k++)
        ns[k] = samples[k].ns + samples[k].copy_gain_ns;
    median = quantile(ns, n, 0.5);
    i = interval_difference(median, median_interval(ns, n), empty->median_ns,
                            empty->interval);
    free(ns);
    return (struct timing_absence){.found = i.high < -EMPTY_ERROR_NS,
                                   .sooner_ns = empty->median_ns - median,
                                   .surely_ns = -i.high};
}

enum limit_finding
timing_limit(const struct limit *limit, const struct timed_result *r, bool modelled)
{
    /* A modelled time has no error that could be suspected; what widens its interval is
     * the program's choice of how to depend on the inputs. */
    return limit_judge(limit, r->median_ns,
                       modelled ? r->median_ns : r->interval.high + EMPTY_ERROR_NS);
}

int
timing_full_samples(const struct sample *samples, int n)
{
    int full = 0;

    for (int i = 0; i < n; i++)
        full += samples[i].full;
    return full >= median_interval_rank(n) ? full : 0;
}
