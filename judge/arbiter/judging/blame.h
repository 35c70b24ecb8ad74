/*
 * When the judge itself has failed, or memory was over the limit, these functions find
 * out whether the submission caused that.
 */
#ifndef ARBITER_JUDGING_BLAME_H
#define ARBITER_JUDGING_BLAME_H

#include "arbiter/judging/judgement.h"

/* To be called after the last call. If a call was over the memory limit, ends the
 * submission's process, waits for its memory and decides. A refusal is in j->outcome; -1
 * is our failure. */
int blame_settle_memory(struct judgement *j, struct report *r);

/* To be called after a failure of ours, which r describes. 0: the submission caused it;
 * j->outcome says so, and r is empty. -1: the submission did not cause it. */
int blame_submission(struct judgement *j, struct report *r);

#endif
