/* Private to timing.c, timing_empty.c and timing_result.c, which make the timed calls of
 * one judgement. What follows from the calls is decided in timing_policy.h. */
#ifndef ARBITER_MEASURING_TIMED_BENCHMARK_H
#define ARBITER_MEASURING_TIMED_BENCHMARK_H

#include "arbiter/judging/trial.h"
#include "arbiter/measuring/conditions.h"
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
    int sets, calls;               /* calls: those so far, empty ones too */
    uint64_t set_bytes;            /* of one set, with its private copies */
    struct answer answer;
    char *sizes;       /* of the benchmark, for messages: "N=1000000" */
    bool attached;     /* the submission's runner has the buffers mapped */
    uint64_t begun_ns; /* when the tests could begin */
    struct empty_times empty;
    double buffer_bytes;           /* of a call, each buffer once in each direction */
    struct bus_meter *meter;       /* of the bus (bus_watch.h); NULL: it is not watched */
    bool silent_bus;               /* trial.h */
    bool awake;                    /* the GPU worked just before the calls to come */
    double bus_free;               /* how many of them are free */
    struct call_log log;           /* the submission's calls */
    struct trial_steps steps;      /* what they took together */
    uint64_t reference_ns;         /* what the reference's calls before them took */
    uint64_t told_ns;              /* what was done between them */
    int cpu;                       /* the CPU that the empty calls were launched from */
    struct conditions *conditions; /* NULL: not known */
    struct device_rates rates;     /* the best that the device can do; zeros: not known */
};

/* The buffers whose turn it is. */
struct call_set *timed_next_set(struct timed_benchmark *t);

/* Begins a series of calls. */
void call_log_begin(struct call_log *log);

/* Adds a call that has just ended. */
void call_log_add(struct call_log *log, const struct timed_call *call);

/* While the arbiter before this one is not gone, everything that touches the GPU is a
 * step of the GPU lock, between these two. Afterwards they do nothing. The second one
 * returns rc. */
void timed_enter_step(struct timed_benchmark *t);
int timed_leave_step(struct timed_benchmark *t, int rc);

/* Makes t->answer for the next empty call. */
int timed_empty_answer(struct timed_benchmark *t, struct report *r);

/* Makes the empty calls. Fills t->empty, with the usual time of our own work before a
 * call, and t->cpu. */
int timed_empty(struct timed_benchmark *t, struct report *r);

/* The terms on which the submission's calls are judged. */
struct timing_terms timed_terms(const struct timed_benchmark *t);

/* The samples are complete: writes what they say to the judgement's result. Disqualifies
 * a submission whose calls took less than an empty kernel does. */
void timed_summarize(struct timed_benchmark *t);

/* Compares the time with the hardware's limit, for which the rates must be known: it
 * disqualifies, is marked for review, or neither. Then a remark says why intervals are
 * full. */
void timed_judge(struct timed_benchmark *t);

#endif
