/* Private to timing.c, timing_empty.c and timing_result.c, which make the timed calls of
 * one judgement; what follows from them is timing_policy.h. */
#ifndef ARBITER_MEASURING_TIMED_BENCHMARK_H
#define ARBITER_MEASURING_TIMED_BENCHMARK_H

#include "arbiter/judging/trial.h"
#include "arbiter/measuring/conditions.h"
#include "arbiter/measuring/seeds.h"
#include "arbiter/measuring/timing_policy.h"

#define SETS_MAX 8

/* What was observed of the calls of one series, in their order. */
struct call_log {
    struct timed_call *call;
    int count, capacity;
    uint64_t begun_ns; /* by now_ns() */
};

struct timed_benchmark {
    struct judgement *j;
    const struct test_case *test;
    const struct timing_plan *plan;
    struct call_set set[SETS_MAX]; /* of buffers; calls take turns on them */
    int sets, calls;               /* calls so far, empty ones too */
    struct answer answer;
    struct seeds seeds; /* emu only */
    char *sizes;
    bool attached;     /* the submission's runner has the buffers mapped */
    uint64_t begun_ns; /* when the tests could begin */
    struct empty_times empty;
    double buffer_bytes;           /* of a call, each once in each direction */
    bool metered;                  /* see bus_watch.h */
    double bus_free;               /* bytes, by the same */
    struct call_log log;           /* of the submission's calls */
    int cpu;                       /* of the empty calls */
    struct conditions *conditions; /* NULL: not known */
    struct device_rates rates;     /* what the device can do at most; zeros: not known */
};

/* The seed of a call's inputs. */
uint64_t timed_seed(const struct timed_benchmark *t, int call);

/* The buffers whose turn it is. */
struct call_set *timed_next_set(struct timed_benchmark *t);

/* Begins a series; adds a call to it, which has just ended. */
void call_log_begin(struct call_log *log);
void call_log_add(struct call_log *log, const struct timed_call *call);

/* Times the empty solve(), and how long our own work before a call takes; fills empty and
 * cpu. */
int timed_empty(struct timed_benchmark *t, struct report *r);

/* The terms on which the submission's calls are judged. */
struct timing_terms timed_terms(const struct timed_benchmark *t);

/* The samples are complete: what they say goes to the judgement's result. Disqualifies a
 * submission that took less than an empty kernel does. */
void timed_summarize(struct timed_benchmark *t);

/* Beside the hardware's limit (rates are known by now): disqualified, for review, or
 * nothing. Then says of full intervals why they are so. */
void timed_judge(struct timed_benchmark *t);

#endif
