/*
 * Checks whether a problem's tests are worth anything, for `warpjudge problem check`. No
 * submission runs here.
 *
 *     FOLDER/job.json, reference, reference.kind   ->   FOLDER/soundness.json
 *
 * These checks are made for every test, and for the benchmark on emu. The seeds are the
 * same at each check.
 *
 *     soundness.c           The reference gives the same answer twice.
 *     soundness_memory.c    If it does not, what it reads beside its inputs.
 *     soundness_call.c      If it seems to leave its buffers, FOLDER/call has that call.
 *     soundness_rounding.c  The reference is right with other arithmetic, too.
 *     soundness_mutants.c   Every mutant fails (mutants.h).
 *     soundness_example.c   The statement's example shows what the reference computes.
 *
 * These checks need the spec alone. They come first, and the others are made only where
 * nothing is wrong with it.
 *
 *     soundness_sizes.c     The tests have telling sizes. The benchmarks fit into memory,
 *                           and are enough work to be timed.
 */
#ifndef ARBITER_SOUNDNESS_H
#define ARBITER_SOUNDNESS_H

#include "arbiter/soundness/mutants.h"
#include "base/config.h"
#include "problem/example.h"
#include "record/findings.h"
#include "record/job.h"

/* One sample as the statement shows it. before and after have the value of each
 * parameter, or NULL where the statement shows none. */
struct shown {
    const struct example_value *before[PROBLEM_PARAMS_MAX]; /* scalar, in, inout */
    const struct example_value *after[PROBLEM_PARAMS_MAX];  /* out, inout */
    int line;                                               /* of statement.md */
    bool seen; /* a sample test has its scalars and inputs */
    char *why; /* why the best matching sample test has not; NULL before one was tried */
    int why_line;
    bool why_same_scalars; /* that sample test has the same scalars */
};

/* The reference, compiled to another arithmetic (enum arithmetic of compile.h). It stands
 * for a right submission that rounds elsewhere. */
#define ROUNDINGS 2
struct rounding {
    struct reference *reference; /* NULL: there is none, or it was told of */
    const char *how;             /* "with fused multiply-adds ..." */
    int accept;                  /* the exemption, or -1 */
};

struct soundness {
    const char *folder; /* of the job */
    struct config config;
    struct job job;
    struct problem *problem;
    char *gpu_program, *runner_program;
    struct device *device;       /* emu, so that answers and mutants are in host memory */
    struct reference *reference; /* makes the right answers */
    struct reference *rounder;   /* a second process of the reference, for rounded inputs,
                                    which may make it fail; NULL: there is none */
    struct rounding rounding[ROUNDINGS];
    struct mutant *mutant;
    int mutant_count;
    struct examples examples;
    struct shown *shown;
    int shown_count;
    bool told_different; /* it was found that the reference's two answers differ, */
    bool told_changed;   /* that the reference writes an input, */
    bool told_checker;   /* and that the checker crashes */
    bool accept_used[ACCEPT_COUNT]; /* the exemption was needed, for all outputs */
    bool accept_of_used[ACCEPT_COUNT][PROBLEM_PARAMS_MAX]; /* or for this output */
    struct findings findings;
};

/* Checks the problem and writes what is wrong with it to FOLDER/soundness.json. -1: we
 * failed. */
int soundness_run(const char *folder, struct report *r);

/* --- private to soundness*.c -------------------------------------------------------- */

/* One test, or the benchmark, with its right answer. */
struct sound_call {
    const struct test_case *test;
    int number; /* the test's, from 0; -1: the benchmark */
    uint64_t seed;
    struct answer answer;
    struct call_set set; /* the inputs before the call, and copies that hold mutants */
};

/* Opens a program of the job folder as the reference. */
int soundness_open_reference(struct soundness *s, const char *folder, const char *program,
                             struct reference **out, struct report *r);

/* The first buffer in which two answers to the same call differ in a bit, or -1. */
int soundness_different(const struct problem *p, const struct answer *a,
                        const struct answer *b);
/* Finds out why the reference's answers to this call differ. *why is a sentence for its
 * author, which the caller frees. */
int soundness_why_different(struct soundness *s, const struct sound_call *call,
                            char **why, struct report *r);

/* Writes the values of a call's parameters to FOLDER/call, as bounds_find() takes them
 * (compile/bounds.h). A call that is very large is left out. */
int soundness_keep_call(struct soundness *s, const struct sound_call *call,
                        struct report *r);

int soundness_rounding_open(struct soundness *s, const char *folder, struct report *r);
void soundness_rounding_close(struct soundness *s);
/* Adds a finding for each arithmetic, once, whose answer to this call is refused. */
int soundness_rounding(struct soundness *s, struct sound_call *call, struct report *r);

/* Tries the mutants at one call. */
int soundness_mutants(struct soundness *s, struct sound_call *call, struct report *r);
/* After the last call, adds a finding for each mutant that passed every test, or the
 * benchmark's check. */
void soundness_mutants_end(struct soundness *s);

/* Reads the samples that the statement shows. */
void soundness_example_begin(struct soundness *s, const char *statement);
/* Compares them with one sample test. */
void soundness_example(struct soundness *s, const struct sound_call *call);
/* Adds a finding for each sample that no sample test has, and if there is no sample. */
void soundness_example_end(struct soundness *s);
void soundness_example_free(struct soundness *s);

void soundness_sizes(struct soundness *s);
int soundness_work(struct soundness *s, struct report *r);

/* Does the spec have this exemption? Notes that it was needed. */
bool soundness_accepts(struct soundness *s, enum accept a);
/* The same for one output, which the spec can exempt by name or with all others. */
bool soundness_accepts_of(struct soundness *s, enum accept a, int output);

#endif
