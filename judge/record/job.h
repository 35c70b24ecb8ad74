/*
 * The job folder, which is all that daemon, compiler and arbiter share. A process takes
 * one folder and leaves one result file in it, so that a judgement can run anywhere. The
 * daemon makes the folder for each attempt and removes it (daemon/attempt.c).
 *
 *     job.json        struct job, written by the daemon
 *     submission.cu   the user's bytes, exactly
 *     compile.json    struct compile_result, written by warpjudge-compile
 *     submission      the user's solve(), for a runner to load (runner/guest.h)
 *     assembly        what ptxas made of its kernels, on emu (compile/assembly.h)
 *     digest          the digest of the PTX that nvcc made of it (compile/equal.h)
 *     reference       the problem's reference, in the same form
 *     inputs, checker its inputs.c and checker.c in the same form, where it has them
 *     result.json     struct result, written by warpjudge-arbiter
 *     listing.json    what the API calls an assembly, by warpjudge-compile --listing
 *     soundness.json  struct findings, written by warpjudge-arbiter --soundness
 *     call            a call in which a reference in C seems to leave its buffers, by
 *                     warpjudge-arbiter --soundness for warpjudge-compile --bounds
 *
 * Where one machine compiles and another judges, each has a folder. The first has no
 * `reference`, and the second no compile.json: it begins with `submission` and `assembly`
 * (record/artefact.h).
 *
 * warpjudge-compile JOBDIR prints one JSON object a line on its standard output.
 *
 *     {"event":"submission"}    the submission is compiled, or refused. Until
 *                               "reference" nothing else is done than to make that, or
 *                               to wait for another process that makes it
 *     {"event":"reference"}     `reference` is there, and an arbiter may be told
 *     {"event":"linked"}        (emu, at most once) compile.json says ok for now, and
 *                               `submission` is there; ptxas is at work
 *     {"event":"done"}          compile.json is there, and `submission` if it says ok,
 *                               on emu with `assembly`
 *
 * warpjudge-arbiter JOBDIR can be started as soon as job.json is there. It reads three
 * lines on its standard input. The first is "reference", once `reference` is there. The
 * second is "go", once compile.json is there and says ok. It is "follow" instead where
 * the arbiter of the submission before is not gone yet. The third is "assembled", once
 * the compiler is done and compile.json still says ok. It waits for the first before it
 * looks at the reference, and for the second before it looks at the submission. On emu it
 * waits for the third before it times the submission, and before it writes its result. At
 * any other line, and at end of file, it stops and exits with 0. It prints one JSON
 * object a line on its standard output.
 *
 *     {"event":"test","done":3,"of":9}   {"event":"timing","done":7,"of":20}
 *     {"event":"preparing"}     (optional, before "go"; one that stays says it at once)
 *     {"event":"room"}          (at most once, after "go") from now on the arbiter of the
 *                               device's next submission may be started with --ahead
 *     {"event":"measured"}      (at most once) nothing of it is measured any more: the
 *                               arbiter of the next submission may be told "follow" if
 *                               it has been started with --ahead
 *     {"event":"result"}        result.json is there, and no process of the submission
 *                               lives; the verdict stands, however the arbiter ends
 *
 * warpjudge-arbiter --ahead JOBDIR is the same, but prepares beside another arbiter that
 * judges on its device. If it cannot, it exits with ARBITER_UNPREPARED, which is no
 * failure: it must be started without --ahead when the other arbiter has ended.
 *
 * warpjudge-arbiter --stay N is started without a folder. It reads one more line before
 * those of each judgement: "job FENCE alone FOLDER", or "ahead" as above. FENCE is a word
 * that no other judgement of the daemon's has. All lines about a judgement end with it:
 * "reference FENCE", "go FENCE", "assembled FENCE", and {"event":...,"job":"FENCE"}. A
 * line with another fence is not for this judgement, and both sides pass over it: one
 * that has ended may have lines that it did not read. In the place of "reference" or "go"
 * there may be "drop FENCE": the judgement is not wanted any more, and has no result.
 * When everything of the judgement is given back, this comes after "result", or after
 * "drop":
 *
 *     {"event":"idle"}          another "job" may come
 *
 * Where it does not come, the arbiter ends as one of a single folder does. It is so for
 * the Nth judgement, and after all that was odd (arbiter/stay.h). At end of file an idle
 * arbiter exits with 0.
 *
 * Both programs exit with 0 when their result file is written, whatever the verdict. The
 * daemon makes a judge_error of any other exit before a "result", and of a missing file.
 * A result without a "result" event counts if the arbiter exited with 0. The standard
 * error of both programs goes to the judge's log.
 *
 * All readers refuse formats that they do not know. To add a field, raise JOB_FORMAT.
 * Rows of TIMING_FIELDS need that as well. No reader needs to know the old format,
 * because the daemon makes the folder of every attempt anew. So no folder is read by
 * another version.
 */
#ifndef RECORD_JOB_H
#define RECORD_JOB_H

#include "base/report.h"
#include "compile/equal.h"
#include "record/timing_fields.h"
#include "record/verdict.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define JOB_FORMAT 6
#define JSON_VALUES_MAX 1000000 /* of a result, and of each JSON text that is in it */
#define ARBITER_UNPREPARED 5
#define ARBITER_STAYS_MAX 100000 /* the largest N of --stay */
#define ARBITER_FENCE_MAX 96     /* bytes of a fence, with its end */
#define ARBITER_ORDER_MAX 4096   /* bytes of a "job" line, with its end */
/* An idle arbiter is told to leave after so long without work. So its GPU is left to
 * other programs, and its memory to the machine. */
#define ARBITER_IDLE_S 20
/* One that has said its result, or was told to leave, is killed after so long. A GPU's
 * takes 60 ms. */
#define ARBITER_LEAVE_S 10
#define ASSEMBLY_FILE "assembly"
#define DIGEST_FILE "digest"
#define LISTING_FILE "listing.json"
#define JOB_CALL_FOLDER "call"

/* A result has no more tests and samples than any arbiter's. One that comes from a worker
 * could. */
#define RESULT_TESTS_MAX 4096
#define RESULT_SAMPLES_MAX 4096

/* The secret that everything drawn for a judgement follows from, in hexadecimal digits
 * (arbiter/judging/seeds.h). */
#define SEED_DIGITS 64

/* What becomes of a submission that never ranks, beside the sample tests of `run`. A
 * profile runs them, and then makes one call more, with inputs that everybody may know.
 * The store has these numbers. */
enum profile {
    PROFILE_NONE,     /* it is no profile */
    PROFILE_COSTS,    /* mode "profile": where its time goes */
    PROFILE_SANITIZE, /* mode "sanitize": what compute-sanitizer finds; on emu the same
                         as a profile, since its calls are checked anyway */
    /* Bulk grading (docs/grading.md), which no job tells of: an arbiter judges it as it
     * judges `submit` or `run`. */
    PROFILE_GRADE,         /* mode "grade": all tests and the time */
    PROFILE_GRADE_SAMPLES, /* mode "grade_samples": the sample tests */
    PROFILE_GRADE_COMPILE, /* mode "grade_compile": does it compile? */
};

/* Is this a kind of bulk grading? */
static inline bool
profile_is_graded(enum profile profile)
{
    return profile >= PROFILE_GRADE;
}

struct job {
    int64_t id;
    int attempt;            /* 1, or 2 after a judge_error */
    bool sample_tests_only; /* `warpjudge run`: sample tests, values shown, no timing */
    enum profile profile;   /* only with sample_tests_only */
    char *problem;          /* slug */
    char *problems_dir;     /* absolute */
    char *device;           /* "emu" or "cuda:0" */
    char *partner;  /* the second GPU, "cuda:1", where the problem needs two and `device`
                       is the first; else NULL */
    char *arch;     /* "compute_80" for emu, "sm_90a" for a GPU; from the daemon's list of
                       devices */
    char *filename; /* the user's own name for the file, for messages; no '/' in it */
    char *cache_dir;   /* absolute */
    bool insecure;     /* --insecure-no-sandbox */
    char *seed;        /* the operator's, to judge with inputs that are known; NULL: the
                          arbiter draws one */
    bool tells_values; /* values of timed calls are told, too: the reader is of the staff
                        */
    bool uncontracted; /* the submission is compiled without fused multiply-adds */
    char *own_case; /* JSON of problem/own_case.h, only with sample_tests_only: it takes
                       the place of the sample tests; NULL: none */
};

struct compile_result {
    bool ok;
    enum verdict verdict; /* where ok is false: compile_error, ..., or judge_error */
    char *message;        /* the explanation as a user reads it; "" if ok */
    char *findings;       /* the same as in struct result; NULL: there are none */
    bool cached;          /* nvcc was skipped */
    double seconds;       /* wall time of compile and link */
    struct digest source; /* of the submission, also where it does not compile */
    struct digest ptx;    /* of its PTX, where it has a kernel */
};

struct test_result {
    int number; /* 1-based, in the spec's order */
    enum verdict verdict;
    char *sizes; /* "N=1000003" */
    /* Of a sample test: inputs, outputs, expected outputs, and what was printed. `run`
     * has them of each, `submit` of the one that failed. NULL: not told. */
    char *detail;
};

struct result {
    enum verdict verdict;
    char *message; /* a paragraph for the user: what happened, where, what was expected */
    bool may_retry; /* the submission may not be the cause (a signal that no process of
                       ours sent, a throttled GPU): judge once more before believing it */
    int test_count;
    struct test_result *test;
    struct timing timing;
    char *board; /* the kind of device whose times rank together: "emu", "NVIDIA H200" */
    char *counters; /* emu: a short JSON object of counters, or NULL */
    char *findings; /* a JSON object of what is wrong, "failure" and "diagnostics"
                       (arbiter/judging/findings.h), or NULL: nothing is */
    char *notices;  /* a JSON array (arbiter/judging/notices.h), or NULL: none */
    char *seed;     /* of the inputs, for the store alone; NULL: nothing was drawn */
    char *arrays;   /* a JSON array (arbiter/judging/arrays.h) of a case of one's own, or
                       NULL: nobody has asked for them */
};

int job_write(const char *folder, const struct job *j, struct report *r);
int job_read(const char *folder, struct job *j, struct report *r);
void job_free(struct job *j);

/* Is this text a seed: SEED_DIGITS lower-case hexadecimal digits? */
bool job_seed_is_valid(const char *text);

int compile_result_write(const char *folder, const struct compile_result *c,
                         struct report *r);
int compile_result_read(const char *folder, struct compile_result *c, struct report *r);
/* The same of a text that is in memory. */
int compile_result_parse(const char *text, size_t len, struct compile_result *c,
                         struct report *r);
void compile_result_free(struct compile_result *c);

int result_write(const char *folder, const struct result *res, struct report *r);
int result_read(const char *folder, struct result *res, struct report *r);
int result_parse(const char *text, size_t len, struct result *res, struct report *r);

/* An accepted result must have tests, each of them accepted, and a time unless only
 * the sample tests were run. -1 where the result contradicts itself and cannot be
 * believed. */
int result_check(const struct result *res, bool sample_tests_only, struct report *r);
void result_free(struct result *res);

#endif
