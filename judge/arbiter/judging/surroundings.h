/*
 * What a wrong output tells beside its first wrong element: the window around it, and the
 * heat map of its matrix (record/failure_grid.h).
 *
 * It is made after an output was found wrong, so that a submission that is right never
 * waits for it. It reads and compares at most SURROUNDINGS_BLOCKS blocks on the host:
 * tenths of a second, however large the output is. How much it tells follows from the
 * call (enum trial_tells): docs/security.md has the reasons.
 */
#ifndef ARBITER_JUDGING_SURROUNDINGS_H
#define ARBITER_JUDGING_SURROUNDINGS_H

#include "arbiter/judging/outputs.h"
#include "arbiter/judging/trial.h"

#define SURROUNDINGS_BLOCKS 2048
#define SURROUNDINGS_BLOCK 8192 /* elements */

/* Which blocks of an output are looked at: all, or one of each `step` blocks that follow
 * each other. Which one of them is scattered, so that no column of a matrix is left out
 * because of its length. The block of the first wrong element is always taken. */
struct block_choice {
    uint64_t blocks, step, must;
};

struct block_choice block_choice_make(uint64_t count, uint64_t first);

/* The block that is taken of the index-th group; there are block_choice_groups(). */
uint64_t block_choice_groups(const struct block_choice *c);
uint64_t block_choice_block(const struct block_choice *c, uint64_t group);

/* Adds both to the outcome's failure, which says which output's element is the first
 * wrong one. */
int surroundings_add(struct judgement *j, const struct trial *t,
                     const struct outputs_finding *finding, struct report *r);

#endif
