/*
 * A judgement's folder: the one thing that daemon, compiler and arbiter share. One
 * process, one folder in, one result file out, so that a judgement can run anywhere.
 *
 *   job.json        written by the daemon: struct job
 *   submission.cu   the user's bytes, exactly
 *   compile.json    written by warpjudge-compile: struct compile_result
 *   submission      the user's solve(), for a runner to load (runner/guest.h)
 *   reference       the problem's reference, the same
 *   inputs, checker the same with its inputs.c and checker.c, where it has them
 *   result.json     written by warpjudge-arbiter: struct result
 *   soundness.json  written by warpjudge-arbiter --soundness: struct findings
 *
 * warpjudge-compile JOBDIR prints one JSON object a line on its standard output:
 *     {"event":"reference"}     `reference` is there, an arbiter may be told
 *     {"event":"done"}          compile.json is there, and `submission` if it says ok
 * warpjudge-arbiter JOBDIR can be started as soon as job.json is there. It reads two
 * lines on its standard input: "reference" (it is there) before it looks at the
 * reference, "go" (compile.json is there, and says ok) before it looks at the submission;
 * anything else or end of file: stop, exit 0.
 * It prints progress on its standard output, one object a line:
 *     {"event":"test","done":3,"of":9}   {"event":"timing","done":7,"of":20}
 *     {"event":"preparing"}  (optional, before go)
 *     {"event":"room"}       (at most once, after go: from now on the arbiter of the next
 *                            submission of this device may be started with --ahead)
 *     {"event":"result"}     result.json is there, and nothing of the submission's lives:
 *                            the verdict is given, however this process ends
 * warpjudge-arbiter --ahead JOBDIR is the same, but prepares beside another that judges
 * on its device. If it cannot, it exits with ARBITER_UNPREPARED, which is no failure: it
 * is to be started without --ahead when the other has ended. Both programs exit 0 when
 * their result file is written, whatever the verdict; any other exit before a "result",
 * or no file, is a judge_error of the daemon's making. A result of an arbiter that does
 * not say so counts when it has exited with 0. Their standard error is the judge's log.
 *
 * All readers refuse unknown formats; a field is added by raising JOB_FORMAT and by
 * reading the old one as long as queued folders may hold it (they never do across
 * versions: the daemon remakes the folder of every attempt).
 */
#ifndef CORE_JOB_H
#define CORE_JOB_H

#include "core/report.h"
#include "core/verdict.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define JOB_FORMAT 1
#define ARBITER_UNPREPARED 5

struct job {
    int64_t id;
    int attempt;        /* 1, or 2 after a judge_error */
    bool sample_only;   /* `warpjudge run`: sample tests, values shown, no timing */
    char *problem;      /* slug */
    char *problems_dir; /* absolute */
    char *device;       /* "emu" or "cuda:0" */
    char *partner;      /* the second card, "cuda:1", where the problem needs two GPUs and
                           `device` is one; else NULL */
    char *arch;      /* "compute_80" for emu, "sm_90a" for a GPU: decided by the daemon's
                        device list */
    char *filename;  /* the user's own name for the file, for messages; no '/' in it */
    char *cache_dir; /* absolute */
    bool insecure;   /* --insecure-no-sandbox */
};

struct compile_result {
    bool ok;
    enum verdict verdict; /* if not ok: compile_error, memory_limit, ... or judge_error */
    char *message;        /* the explanation as a user reads it; "" if ok */
    bool cached;          /* nvcc was skipped */
    double seconds;       /* wall time of compile and link */
};

struct test_result {
    int number; /* 1-based, in the spec's order */
    enum verdict verdict;
    char *sizes;  /* "N=1000003" */
    char *detail; /* `run`: the sample's inputs, outputs and expected outputs */
};

/* Times are nanoseconds. On emu they are modelled, not measured. */
struct timing {
    bool present;
    bool modelled;
    int warmup; /* untimed calls before the first sample */
    int sample_count;
    double *sample_ns; /* in the order they were taken */
    double median_ns, q1_ns, q3_ns;
    double low_ns, high_ns; /* the median's 95% interval; a point on emu */
    double null_ns; /* the empty solve()'s interval, subtracted from all samples but
                       those that count whole (arbiter/bus_watch.h); 0 on emu */
    double work_bytes, work_flops; /* of the benchmark, as the spec says */
    char *sizes;                   /* the benchmark's */
    double limit_ns;  /* what the hardware needs for this work at least; 0: not known */
    char *limit_by;   /* what sets the limit: "memory", "fp32", ...; NULL: not known */
    bool review;      /* a person should look: so close to the limit */
    char *remark;     /* NULL, or what makes this time less sure, or longer, for people:
                         timing_result.c, aftermath.c */
    char *conditions; /* NULL, or a JSON object: calibration, clocks, temperatures */
};

struct result {
    enum verdict verdict;
    char *
        message; /* one paragraph for the user: what happened, where, what was expected */
    bool may_retry; /* it may not be the submission's doing (a signal that nobody of ours
                       sent, a throttled card): judge again once before believing it */
    int test_count;
    struct test_result *test;
    struct timing timing;
    char *board;    /* kind of device that ranks together: "emu" or "NVIDIA H200" */
    char *counters; /* emu: a short JSON object of counters, or NULL */
    char *notices;  /* emu: a JSON array (arbiter/notices.h), or NULL: none */
};

int job_write(const char *folder, const struct job *j, struct report *r);
int job_read(const char *folder, struct job *j, struct report *r);
void job_free(struct job *j);

int compile_result_write(const char *folder, const struct compile_result *c,
                         struct report *r);
int compile_result_read(const char *folder, struct compile_result *c, struct report *r);
void compile_result_free(struct compile_result *c);

int result_write(const char *folder, const struct result *res, struct report *r);
int result_read(const char *folder, struct result *res, struct report *r);

/* What is accepted must say why: tests, each of them accepted, and a time unless only the
 * samples were run. -1: the result contradicts itself, and is not to be believed. */
int result_check(const struct result *res, bool sample_only, struct report *r);
void result_free(struct result *res);

#endif
