/*
 * Whose doing is it? Where the judge itself failed, or memory was over the limit, these
 * find out whether the submission caused that.
 */
#ifndef ARBITER_JUDGING_BLAME_H
#define ARBITER_JUDGING_BLAME_H

#include "arbiter/judging/judgement.h"

/* After the last call: if one was over the memory limit, ends the submission's process,
 * waits for its memory and decides. A refusal is in j->outcome; -1 is our failure. */
int blame_settle_memory(struct judgement *j, struct report *r);

/* We have failed, and r says how. 0: it was the submission's doing; j->outcome says so,
 * and r is empty. -1: it was not. */
int blame_submission(struct judgement *j, struct report *r);

#endif
