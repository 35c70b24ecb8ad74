/*
 * The timing policy: how a submission's time on a GPU follows from calls that were made.
 * Read it from top to bottom; timing_policy.c has the same order.
 *
 * timing_empty.c and timing.c make the calls. They append what they observe of each to an
 * array, and ask here what to do next. All functions are pure: they see the plan and the
 * array, no clock and no GPU. So tests/unit/test_timing_policy.c can try every decision
 * on both sides of its edge.
 *
 *   1. The empty calls. Every interval holds what the protocol itself takes: the GPU's
 *      switches from context to context, and our copy of the outputs. So first a solve()
 *      is called that does nothing, until the median of its intervals is known well.
 *   2. The warm-up of the submission. Its calls are checked, but give no sample. Its last
 *      calls decide of which kind the samples' intervals will be.
 *   3. The samples. More are made until the median is known well enough, or the time is
 *      over.
 *   4. The result. The time is the samples' median less the empty calls' median. Its
 *      interval has the error of both. A time that cannot be true disqualifies.
 *
 * The intervals of a median and of a difference are those of numbers/statistics.h (David
 * and Nagaraja; Zou and Donner). The hardware's limit is that of roofline.h. A constant
 * without a comment was chosen by measuring (docs/measurements/clock.md).
 *
 * Words (docs/glossary.md, docs/timing.md):
 *
 *   An interval is *copied behind* the work or *copied after* DONE (release.h). A
 *   judgement's samples are all meant to be of one kind. The empty calls are of the first
 *   kind if it is possible, whatever kind the samples are.
 *
 *   A call does not *count* if something else may have made it longer. An empty call that
 *   is too long would shorten every sample.
 *
 *   A *full* interval begins with the fill, and nothing is subtracted from it, since the
 *   host may have worked in what is subtracted otherwise (bus_watch.h).
 *
 * Times are in ns. Elapsed times count from the beginning of the series of calls.
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
    /* A warm-up has at least `warmup` calls. Then it ends after warmup_ns, or with
     * `warmup_max` calls. If the GPU is awake, awake_ns are enough. */
    int warmup, warmup_max;
    uint64_t warmup_ns, awake_ns;

    /* How long a warm-up goes on at most to learn of which kind the calls are. */
    uint64_t settle_ns;

    /* samples_min samples are made in any case. More are made until the interval's width
     * is `precision` of the median or half of it is precision_ns, there are samples_max,
     * or budget_ns are over. What is far below the empty calls' own error gains
     * nothing. */
    int samples_min, samples_max;
    uint64_t budget_ns;
    double precision, precision_ns;

    /* On emu instead: more are made while those above samples_min cost at most this
     * together (timing_cost_ms). 0: the limits above decide. */
    double cost_ms;

    /* The same for empty calls, where empty_max <= TIMED_EMPTY_MAX. They end when half of
     * the interval's width is empty_precision_ns. */
    int empty_min, empty_max;
    uint64_t empty_budget_ns;
    double empty_precision_ns;
};

extern const struct timing_plan timing_plan_gpu;

/* The model begins every call with cold caches and has no noise, so that samples differ
 * only where the time depends on the inputs. There are no empty calls. */
extern const struct timing_plan timing_plan_emu;

/* What a call on emu costs us, in milliseconds of a machine with four CPUs. It is counted
 * from the bytes that are filled and compared, the reference's operations and the
 * emulated GPU's work, so that a busy machine changes nothing. It only decides how many
 * calls there are. */
double timing_cost_ms(double buffer_bytes, double flops, uint64_t work);

/* How many samples the plan makes of calls that cost so much each. */
int timing_plan_samples(const struct timing_plan *p, double cost_ms);

/* What was observed of one call. */
struct timed_call {
    /* The call was made for a sample, or as an empty call that may count. Otherwise it
     * was a call of the warm-up. */
    bool sample;

    bool behind;        /* its outputs were to be copied behind its work, */
    bool copied_behind; /* and were */

    /* The GPU lock was held, so that no neighbour could compute: when an empty call
     * began, when another call ended. */
    bool locked;

    /* No neighbour used the GPU during the call, not even to make a context. For an empty
     * call this is about the reference's call before it. */
    bool undisturbed;

    int slow_fills;    /* how often our own work before it was slow (fill_watch.h) */
    int busy_fills;    /* the same, but our thread had lost its CPU */
    double ns;         /* the interval */
    double copy_ns;    /* the copy's part of it, if it was behind the work */
    double fill_ns;    /* our own work before it */
    double bus_bytes;  /* that went over the GPU's bus; < 0: not known */
    uint64_t ended_ns; /* the time elapsed at its end */
    double cost_ms;    /* on emu: by timing_cost_ms */

    /* Of an empty call only. */
    bool late;             /* the GPU had to wait for its launch */
    bool preempted;        /* the arbiter or the runner had lost its CPU */
    uint64_t reference_ns; /* the reference's call before it; 0: there was none */
};

/* --- 1. the empty calls ---------------------------------------------------- */

enum empty_next {
    EMPTY_WARM_UP,
    EMPTY_BEHIND, /* a call that is to be copied behind its work */
    EMPTY_AFTER,  /* a call that is to be copied after DONE */
    EMPTY_ENOUGH,
    EMPTY_HOST_BUSY, /* too many calls lost their CPUs: our failure */
};

/* What to do after n empty calls. awake: the GPU has worked until a moment ago, so that
 * its clocks are up. can_be_behind is release_can_be_behind of the buffers. */
enum empty_next timing_empty_next(const struct timing_plan *p, bool awake,
                                  bool can_be_behind, const struct timed_call *calls,
                                  int n);

/* Is the reference to be called before the next empty call? It leaves the caches as it
 * leaves them before a submission's call. A reference that takes long is not called. */
bool timing_empty_wants_reference(const struct timed_call *calls, int n);

struct empty_times {
    bool behind; /* the intervals' kind */
    double ns[TIMED_EMPTY_MAX];
    int count;
    double median_ns, median_copy_ns;
    struct interval interval; /* of the median */
    double usual_fill_ns;     /* the median of our own work before them */
    double bus_bytes;         /* the median; < 0: not known */
    int late, preempted;      /* how many calls did not count for each reason */
    uint64_t uncounted_ns;    /* what uncounted calls took; without the warm-up */
};

/* What the empty calls tell, after EMPTY_ENOUGH. After EMPTY_HOST_BUSY there may be no
 * times. */
void timing_empty_times(bool can_be_behind, const struct timed_call *calls, int n,
                        struct empty_times *out);

/* --- 2. and 3. the submission's calls -------------------------------------- */

/* The terms on which all calls of one submission are judged. */
struct timing_terms {
    const struct timing_plan *plan;
    const struct empty_times *empty; /* zeros on emu */
    bool awake;                      /* the GPU has worked until a moment ago */
    bool metered;                    /* the bytes on the bus are counted (bus_watch.h) */
    double bus_free;                 /* how many of them are free */
};

/* What our own work before the calls shows, as of the last call. FILL_DISCARD: that call
 * does not count. */
enum fill_finding timing_fill(const struct timed_call *calls, int n);

/* Did the meter of the bus count for the empty calls, but not for this call? The host
 * could work unseen then, so it is our failure. */
bool timing_meter_stopped(const struct timing_terms *t, const struct timed_call *call);

/* The number of calls beside which something else had our CPUs, or a neighbour our GPU.
 */
int timing_busy_calls(const struct timed_call *calls, int n);

/* Are these so many that we have failed? */
bool timing_host_is_busy(const struct timed_call *calls, int n);

/* Is the GPU lock to be taken from now on? Neighbours may prepare during the first half
 * of the warm-up. */
bool timing_wants_lock(const struct timing_terms *t, const struct timed_call *calls,
                       int n);

struct timing_next {
    enum { TIMING_WARM_UP, TIMING_SAMPLE, TIMING_ENOUGH } what;
    bool behind; /* the call is to be copied behind its work */
    bool begins; /* TIMING_SAMPLE: it is the first sample, or the first anew. Samples
                    before it are forgotten: they were of another kind */
    int samples; /* the number of samples so far */
};

/* What to do after n calls. locked: the GPU lock is held, so that no neighbour works on
 * the GPU. A warm-up does not end before that; it goes on so that nothing gets cold. */
struct timing_next timing_next(const struct timing_terms *t,
                               const struct timed_call *calls, int n, bool locked);

/* --- 4. the result --------------------------------------------------------- */

struct sample {
    double ns;           /* the interval */
    double copy_gain_ns; /* by this its copy was quicker than an empty call's */
    double fill_ns;      /* our own work before the interval */
    bool full;           /* the interval is a full one */
};

/* The bytes that a call sent over the bus beyond an empty call's; < 0: not known. */
double timing_bus_bytes(const struct timing_terms *t, const struct timed_call *call);

struct sample timing_sample(const struct timing_terms *t, const struct timed_call *call);

/* The value of a sample if an empty call takes empty_ns. A value below 0 means that the
 * call took less. */
double timing_value(const struct sample *s, double empty_ns);

/* Writes the samples of the calls that count to out, in order. out must hold the plan's
 * samples_max. Returns how many there are. */
int timing_samples(const struct timing_terms *t, const struct timed_call *calls, int n,
                   struct sample *out);

/* The time and its interval. A value below 0 is given as 0. n >= 1. */
struct timed_result {
    double median_ns, q1_ns, q3_ns;
    struct interval interval; /* of a modelled time: redrawn_interval */
};

struct timed_result timing_result(const struct empty_times *empty,
                                  const struct sample *samples, int n, bool modelled);

/* A GPU takes a third of a millisecond to switch to a context and back. Every interval
 * has that, the empty call's, too. Intervals without it had no kernel: copy engines and
 * the host need no switch. This compares the intervals themselves, full or not. */
struct timing_absence {
    bool found;       /* the intervals lack the switches */
    double sooner_ns; /* by this the calls' median is below the empty calls' */
    double surely_ns; /* by this at least, with 95% confidence */
};

struct timing_absence timing_absence(const struct empty_times *empty,
                                     const struct sample *samples, int n);

/* How near the time is to the hardware's limit, which must be known. */
enum limit_finding timing_limit(const struct limit *limit, const struct timed_result *r,
                                bool modelled);

/* How many samples have full intervals, if they are enough for the median's interval to
 * hold one; else 0. */
int timing_full_samples(const struct sample *samples, int n);

#endif
