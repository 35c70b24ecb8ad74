/* Makes inputs by a problem's inputs.c (docs/problem-format.md), instead of
 * call_set_fill. */
#ifndef ARBITER_JUDGING_INPUTS_H
#define ARBITER_JUDGING_INPUTS_H

#include "arbiter/calling/call_set.h"
#include "arbiter/judging/author.h"

/* Fills the inputs of `to` for this seed. inputs is the program, or NULL if the problem
 * has none. All inputs are drawn in host memory as the spec says. The program then
 * changes those that the spec leaves to it, and they are copied. If it changes another
 * one, that is an error. */
int inputs_fill(struct author *inputs, struct call_set *to, uint64_t seed,
                struct report *r);

#endif
