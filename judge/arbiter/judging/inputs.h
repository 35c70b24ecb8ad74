/* Inputs from a problem's inputs.c (docs/problem-format.md), in the place of
 * call_set_fill. */
#ifndef ARBITER_JUDGING_INPUTS_H
#define ARBITER_JUDGING_INPUTS_H

#include "arbiter/calling/call_set.h"
#include "arbiter/judging/author.h"

/* Fills the inputs of `to` for this seed. inputs: the program; NULL where the problem has
 * none. Draws all inputs in host memory as the spec says, lets the program change those
 * that are its own, and copies. A program that changes another's is an error. */
int inputs_fill(struct author *inputs, struct call_set *to, uint64_t seed,
                struct report *r);

#endif
