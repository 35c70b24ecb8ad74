/*
 * The seeds of one judgement. Everything that the judge draws for a submission follows
 * from one secret of 32 bytes. That is the inputs of the tests and of the timed calls,
 * and the poison in the outputs.
 *
 * The kernel draws the secret for each judgement anew. So no answer of an earlier
 * judgement is of use in a later one, whatever the submission can tell them apart by. The
 * secret is in the arbiter's memory only, until result.json has it. The store keeps it,
 * so that staff can judge again with the same inputs (`warpjudge rerun`).
 */
#ifndef ARBITER_JUDGING_SEEDS_H
#define ARBITER_JUDGING_SEEDS_H

#include "base/report.h"
#include "record/job.h"

#include <stdint.h>

struct seeds {
    char secret[SEED_DIGITS + 1]; /* in hexadecimal digits */
};

/* What a seed is for. Seeds of different purposes have nothing to do with each other. */
enum seed_use {
    SEED_TEST,   /* the inputs of a test, by its number */
    SEED_EMPTY,  /* the inputs of an empty call, which the submission may find in its
                    buffers later */
    SEED_TIMED,  /* the inputs of a timed call, the warm-up's included */
    SEED_COSTS,  /* the inputs of the call of `run` whose costs are told */
    SEED_POISON, /* the start of the outputs of any call */
};

/* Draws the secret, or takes the operator's where `given` is not NULL. */
void seeds_open(struct seeds *s, const char *given);

/* The seed of every profile. It is no secret: a profile is never ranked, and the same
 * program has the same one whenever it is made. */
#define SEED_OF_PROFILES                                                                 \
    "70726f66696c6570726f66696c6570726f66696c6570726f66696c6570726f66"

uint64_t seeds_make(const struct seeds *s, enum seed_use use, int number);

#endif
