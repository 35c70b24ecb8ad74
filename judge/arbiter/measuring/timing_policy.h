/*
 * The timing policy: how a submission's time on a GPU follows from calls that were made.
 * Read it from top to bottom; timing_policy.c has the same order.
 *
 * timing_empty.c and timing.c make the calls. They append what they observe of each to an
 * array, and ask here what to do next. All functions are pure: they see the plan and the
 * array, no clock and no GPU. So tests/unit/test_timing_policy.c can try every decision
 * on both sides of its edge.
 *
 *   1. The empty calls. What the protocol itself takes, the GPU's switches from context
 *      to context and our copy of the outputs, is in every interval. So solve() is first
 *      called where it does nothing, as often as it takes to know that median well.
 *   2. The warm-up of the submission. Its calls are checked, but give no sample. Its last
 *      ones decide of which kind the intervals will be.
 *   3. The samples. More are made until the median is known well enough, or the time is
 *      over.
 *   4. The result: the samples' median, less the empty calls' median; its interval, which
 *      has the error of both; and what is suspicious about it.
 *
 * Where the formulas come from: the interval of a median, by order statistics, and that
 * of a difference are numbers/statistics.h (David and Nagaraja; Zou and Donner). The
 * hardware's limit is roofline.h. Constants beside which nothing else is said were chosen
 * by what was measured, docs/measurements/clock.md.
 *
 * Words (docs/glossary.md, docs/timing.md):
 *
 *   An interval is *copied behind* the work or *copied after* DONE (release.h). A
 *   judgement's samples are all meant to be of one kind. The empty calls are of the first
 *   kind where it can be had, whatever the submission's are.
 *
 *   A call does not *count* where something else may have made it longer. For an empty
 *   call that would shorten every sample.
 *
 *   A *full* interval begins with the fill, and nothing is subtracted from it, since the
 *   host may have worked in what is subtracted otherwise (bus_watch.h).
 *
 * Times are in ns; the elapsed ones count from the beginning of the series of calls.
 */
#ifndef ARBITER_MEASURING_TIMING_POLICY_H
#define ARBITER_MEASURING_TIMING_POLICY_H

#include "arbiter/calling/fill_watch.h"
#include "arbiter/measuring/roofline.h"
#include "numbers/statistics.h"

#include <stdbool.h>
#include <stdint.h>

#define TIMED_EMPTY_MAX 100 /* empty calls of one kind that count */

/* --- what is planned, and what is observed --------------------------------- */

struct timing_plan {
    /* A warm-up has `warmup` calls at least; then it ends after warmup_ns, or with
     * `warmup_max` calls. */
    int warmup, warmup_max;
    uint64_t warmup_ns;

    /* samples_min are made whatever they or the warm-up take. More are made until the
     * interval's width over the median is `precision`, until there are samples_max, or
     * until budget_ns are over. */
    int samples_min, samples_max;
    uint64_t budget_ns;
    double precision;

    /* The same of empty calls, up to empty_max <= TIMED_EMPTY_MAX; enough is where half
     * of the interval's width is empty_precision_ns. */
    int empty_min, empty_max;
    uint64_t empty_budget_ns;
    double empty_precision_ns;
};

extern const struct timing_plan timing_plan_gpu;

/* The model begins every call cold and does not waver: more samples would only show again
 * what depends on the data. There are no empty calls. */
extern const struct timing_plan timing_plan_emu;

/* All that was observed of one call. */
struct timed_call {
    bool sample;        /* it was made for a sample, or an empty one's; else to warm up */
    bool behind;        /* its outputs were asked to be copied behind its work, */
    bool copied_behind; /* and were */
    bool locked;      /* neighbours were kept off the GPU: when an empty call began, when
                        another one ended */
    bool undisturbed; /* no neighbour worked on the GPU during it (before an empty call:
                         during the reference's) */
    int slow_fills;   /* how often our own work before it was slow (fill_watch.h), */
    int busy_fills;   /* and how often it was, but our thread had lost its CPU */
    double ns, copy_ns; /* the interval, and of it the copy that was behind the work */
    double fill_ns;     /* our own work before it */
    double bus_bytes;   /* over the GPU's bus; < 0: not known */
    uint64_t ended_ns;  /* how much time had elapsed at its end */

    /* Of an empty call only. */
    bool late;             /* the GPU had to wait for its launch */
    bool preempted;        /* a thread of ours had lost its CPU */
    uint64_t reference_ns; /* what the reference's call before it took; 0: none */
};

/* --- 1. the empty calls ---------------------------------------------------- */

enum empty_next {
    EMPTY_WARM_UP,
    EMPTY_BEHIND, /* a call that is to be copied behind its work */
    EMPTY_AFTER,  /* a call that is to be copied after DONE */
    EMPTY_ENOUGH,
    EMPTY_HOST_BUSY, /* so many calls lost their CPUs that we have failed */
};

/* What to do after n empty calls. can_be_behind: release_can_be_behind of the buffers. */
enum empty_next timing_empty_next(const struct timing_plan *p, bool can_be_behind,
                                  const struct timed_call *calls, int n);

/* Is the reference to be called before the next one? It leaves caches as it leaves them
 * before a submission's call; but not where that takes long. */
bool timing_empty_wants_reference(const struct timed_call *calls, int n);

struct empty_times {
    bool behind; /* the kind */
    double ns[TIMED_EMPTY_MAX];
    int count;
    double median_ns, median_copy_ns;
    struct interval interval; /* of the median */
    double usual_fill_ns;     /* the median of our own work before them */
    double bus_bytes;         /* the median; < 0: not known */
    int late, preempted;      /* that did not count for that */
    uint64_t uncounted_ns;    /* what calls took that do not count; not the warm-up's */
};

/* After EMPTY_ENOUGH; after EMPTY_HOST_BUSY there may be no times. */
void timing_empty_times(bool can_be_behind, const struct timed_call *calls, int n,
                        struct empty_times *out);

/* --- 2. and 3. the submission's calls -------------------------------------- */

/* What holds for all calls of one submission. */
struct timing_terms {
    const struct timing_plan *plan;
    const struct empty_times *empty; /* zeros on emu */
    bool metered;    /* the bytes on the bus are asked for (bus_watch.h) */
    double bus_free; /* so many of them are free */
};

/* Does the last call mean that what our own work before the calls shows disqualifies?
 * FILL_DISCARD: the call does not count. */
enum fill_finding timing_fill(const struct timed_call *calls, int n);

/* Has the meter of the bus stopped that counted for the empty calls? The host could work
 * unseen then; so we have failed. */
bool timing_meter_stopped(const struct timing_terms *t, const struct timed_call *call);

/* Beside how many calls something else had our CPUs; and is that too often, so that we
 * have failed? */
int timing_busy_calls(const struct timed_call *calls, int n);
bool timing_host_is_busy(const struct timed_call *calls, int n);

/* Are neighbours to be asked to keep off the GPU from now on? They may go on for the
 * first half of the warm-up. */
bool timing_wants_lock(const struct timing_terms *t, const struct timed_call *calls,
                       int n);

struct timing_next {
    enum { TIMING_WARM_UP, TIMING_SAMPLE, TIMING_ENOUGH } what;
    bool behind; /* the call is to be copied behind its work */
    bool begins; /* TIMING_SAMPLE: the first one, or the first anew; then those before it
                    are forgotten, which were of another kind */
    int samples; /* so far */
};

/* What to do after n calls. quiet: no neighbour works on the GPU now, nor will; that ends
 * a warm-up, which goes on until then so that nothing gets cold. */
struct timing_next timing_next(const struct timing_terms *t,
                               const struct timed_call *calls, int n, bool locked);

/* --- 4. the result --------------------------------------------------------- */

struct sample {
    double ns;           /* the interval */
    double copy_gain_ns; /* what its copy took less than an empty call's */
    double fill_ns;      /* what went before the interval */
    bool full;
};

/* How many bytes a call sent over the bus beyond an empty one's; < 0: not known. */
double timing_bus_bytes(const struct timing_terms *t, const struct timed_call *call);

struct sample timing_sample(const struct timing_terms *t, const struct timed_call *call);

/* What it counts where an empty call takes empty_ns; below 0: it took less. */
double timing_value(const struct sample *s, double empty_ns);

/* The calls that count, in order. out has room for the plan's samples_max. Returns how
 * many there are. */
int timing_samples(const struct timing_terms *t, const struct timed_call *calls, int n,
                   struct sample *out);

/* The time. Values below 0 are said to be 0. n >= 1. */
struct timed_result {
    double median_ns, q1_ns, q3_ns;
    struct interval interval; /* modelled: the median twice */
};

struct timed_result timing_result(const struct empty_times *empty,
                                  const struct sample *samples, int n, bool modelled);

/* A GPU takes a third of a millisecond to turn to a context and back; every interval has
 * that, the empty call's, too. Where intervals lack it there was no kernel: copy engines
 * and the host can do without. That is so of the intervals themselves, whatever they
 * count. */
struct timing_absence {
    bool found;
    double sooner_ns; /* the medians' difference */
    double surely_ns; /* at least so much, 95% sure */
};

struct timing_absence timing_absence(const struct empty_times *empty,
                                     const struct sample *samples, int n);

/* How near the hardware's limit, which is known, the time is. */
enum limit_finding timing_limit(const struct limit *limit, const struct timed_result *r,
                                bool modelled);

/* How many samples are full, where so many are that one is in the median's interval; else
 * 0. */
int timing_full_samples(const struct sample *samples, int n);

#endif
