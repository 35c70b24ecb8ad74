/*
 * Are a problem's tests worth anything? What `warpjudge problem check` asks of a problem
 * beyond its spec; nothing of a submission's runs here.
 *
 *   FOLDER/job.json, reference, reference.kind   ->   FOLDER/soundness.json
 *
 * For every test, and for the benchmark on emu, with seeds that are always the same:
 *   the reference answers twice alike                                    soundness.c
 *   wrong answers fail (mutants.h)                              soundness_mutants.c
 *   the statement's example is what the reference says            soundness_example.c
 * and, of the spec alone: sizes, memory, how much work the benchmarks are
 *                                                                 soundness_sizes.c
 */
#ifndef ARBITER_SOUNDNESS_H
#define ARBITER_SOUNDNESS_H

#include "arbiter/soundness/mutants.h"
#include "base/config.h"
#include "problem/example.h"
#include "record/findings.h"
#include "record/job.h"

/* One sample as the statement shows it: what stands for each parameter, NULL: nothing. */
struct shown {
    const struct example_value *before[PROBLEM_PARAMS_MAX]; /* scalar, in, inout */
    const struct example_value *after[PROBLEM_PARAMS_MAX];  /* out, inout */
    int line;
    bool seen; /* a sample test has its scalars and inputs */
    char *why; /* else why not */
    int why_line;
    bool why_same_scalars;
};

struct soundness {
    struct config config;
    struct job job;
    struct problem *problem;
    char *gpu_program, *runner_program;
    struct device *device;       /* emu: answers and mutants are host memory */
    struct reference *reference; /* the right answers */
    struct reference
        *rounder; /* a second one: it may die of inputs it was not made for */
    struct mutant *mutant;
    int mutant_count;
    struct examples examples;
    struct shown *shown;
    int shown_count;
    bool told_different;
    bool told_changed; /* that the reference writes an input */
    bool accept_used[ACCEPT_COUNT];
    bool accept_of_used[ACCEPT_COUNT][PROBLEM_PARAMS_MAX];
    bool told_checker; /* that it crashes */
    struct findings findings;
};

/* Writes FOLDER/soundness.json: what is wrong with the problem. -1: we failed. */
int soundness_run(const char *folder, struct report *r);

/* --- private to soundness*.c -------------------------------------------------------- */

/* One test, or the benchmark, with its right answer. */
struct sound_call {
    const struct test_case *test;
    int number; /* of the test, from 0; -1: the benchmark */
    uint64_t seed;
    struct answer answer;
    struct call_set set; /* inputs as they were before the call, and copies for outputs */
};

int soundness_mutants(struct soundness *s, struct sound_call *call, struct report *r);
void soundness_mutants_end(struct soundness *s); /* what passed everywhere */

void soundness_example_begin(struct soundness *s, const char *statement);
void soundness_example(struct soundness *s, const struct sound_call *call);
void soundness_example_end(struct soundness *s);
void soundness_example_free(struct soundness *s);

void soundness_sizes(struct soundness *s);
int soundness_work(struct soundness *s, struct report *r);

/* Notes that the exemption is needed. True: the spec has it. */
bool soundness_accepts(struct soundness *s, enum accept a);
/* The same for one output, of which the spec speaks by name or with all others. */
bool soundness_accepts_of(struct soundness *s, enum accept a, int output);

#endif
