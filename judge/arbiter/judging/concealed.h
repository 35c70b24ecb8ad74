/*
 * What a user reads of a timed call that went wrong. Its inputs are secret, and a program
 * chooses what follows from them: which element is wrong, which address faults, with
 * which status it exits. So the message names the kind of the failure, and nothing that
 * the program could have chosen by its inputs. The staff's own judgements tell everything
 * (tells_values in record/job.h).
 */
#ifndef ARBITER_JUDGING_CONCEALED_H
#define ARBITER_JUDGING_CONCEALED_H

#include "arbiter/judging/judgement.h"

/* What messages call a timed call of these sizes. `name` and `number` (from 1) are its
 * own, and told to the staff only. The caller frees. */
char *concealed_where(const struct judgement *j, const char *name, int number,
                      const char *sizes);

/* Replaces the message of j->outcome, which a timed call at the benchmark's size has just
 * got. */
void concealed_outcome(struct judgement *j, const char *where);

#endif
