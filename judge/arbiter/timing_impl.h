/* Private to timing.c, timing_empty.c and timing_result.c: the timed calls of one
 * judgement. */
#ifndef ARBITER_TIMING_IMPL_H
#define ARBITER_TIMING_IMPL_H

#include "arbiter/conditions.h"
#include "arbiter/host_busy.h"
#include "arbiter/quiet.h"
#include "arbiter/seeds.h"
#include "arbiter/trial.h"
#include "core/statistics.h"

struct plan {
    int warmup, warmup_max; /* the least always, up to the most while warmup_ns last, and
                               then until it is quiet */
    uint64_t warmup_ns;
    int samples_min; /* always taken, whatever they or the warm-up took */
    int samples_max;
    uint64_t budget_ns; /* wall time of the samples; over it samples_min are enough */
    double precision;   /* enough samples: the interval's width over the median */
    int empty_min, empty_max;  /* empty calls, after as many to warm up */
    uint64_t empty_budget_ns;  /* as budget_ns */
    double empty_precision_ns; /* enough: half the interval's width */
};

/* One timed call. On a GPU it counts less what an empty call takes, or whole: from where
 * its inputs began to be made (bus_watch.h). */
struct sample {
    double ns;           /* the interval */
    double copy_gain_ns; /* what its copy took less than an empty call's */
    double fill_ns;      /* what went before it, from that on */
    bool whole;
};

#define SETS_MAX 8
#define EMPTY_MAX 100

/* Intervals of the empty solve(). */
struct empty_times {
    double ns[EMPTY_MAX], copy_ns[EMPTY_MAX]; /* each, and its copy behind the work */
    int count;
    bool behind; /* of the first kind of release.h, which cannot be had everywhere */
    double median_ns, median_copy_ns;
    struct interval interval;
    double bus_bytes; /* the median; < 0: not known */
    struct host_busy host;
    uint64_t uncounted_ns; /* what calls took that do not count, the warm-up's not among
                              them */
};

struct timed_runs {
    struct judgement *j;
    const struct test_case *test;
    struct plan plan;
    struct call_set set[SETS_MAX]; /* of buffers; calls take turns on them */
    int sets, calls;               /* calls so far, empty ones too */
    struct answer answer;
    struct seeds seeds; /* emu only */
    char *sizes;
    bool attached;     /* the submission's runner has the buffers mapped */
    uint64_t begun_ns; /* when the tests could begin */
    struct empty_times empty;
    bool copies_behind;            /* the submission's calls are of that kind */
    double buffer_bytes;           /* of a call, each once in each direction */
    bool metered;                  /* see bus_watch.h */
    double bus_free;               /* bytes, by the same */
    struct sample *sample;         /* as many as the result has */
    int cpu;                       /* of the empty calls */
    int busy_calls;                /* did not count: the host had other work */
    struct fill_watch watch;       /* not on emu, whose clock counts the fill, too */
    struct conditions *conditions; /* NULL: not known */
    struct device_rates rates;     /* what the device can do at most; zeros: not known */
};

/* The seed of a call's inputs. */
uint64_t timed_seed(const struct timed_runs *t, int call);

/* The buffers whose turn it is. */
struct call_set *timed_next_set(struct timed_runs *t);

/* Times the empty solve(), and how long our own work before a call takes; fills empty,
 * cpu and watch. */
int timed_empty(struct timed_runs *t, struct report *r);

/* The samples are complete: what they say goes to the judgement's result. Disqualifies a
 * program that took less than an empty kernel does. */
void timed_summarize(struct timed_runs *t);

/* What a sample counts, where an empty call takes empty_ns; below 0: it took less. */
double timed_value(const struct sample *s, double empty_ns);

/* Beside the hardware's limit (rates are known by now): disqualified, for review, or
 * nothing. Then says of calls that count whole why. */
void timed_suspect(struct timed_runs *t);

#endif
