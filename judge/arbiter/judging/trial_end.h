/* Private to trial.c and trial_end.c: how a call ended that has no outputs to compare.
 * What the submission did wrong is in j->outcome afterwards; -1 is our failure. */
#ifndef ARBITER_JUDGING_TRIAL_END_H
#define ARBITER_JUDGING_TRIAL_END_H

#include "arbiter/judging/trial.h"

#define TRIAL_START_MS 30000 /* for a runner to come up, make its context and map */

/* call_set_arm for the submission's runner, with the limit that it has. */
int trial_arm(struct judgement *j, const struct trial *t, enum runner_event *event,
              struct runner_reply *reply, struct report *r);

/* On emu: if the GPU itself saw what went wrong, that is the explanation. 1: it did.
 * failed: the call failed anyway, so that recoverable faults count, too. */
int trial_judge_fault(struct judgement *j, const struct trial *t, bool failed,
                      struct report *r);

/* Everything but an answer. released: solve() had been let go. */
int trial_judge_event(struct judgement *j, const struct trial *t, bool released,
                      enum runner_event event, struct report *r);

/* An answer that says that the call failed. */
int trial_judge_status(struct judgement *j, const struct trial *t,
                       const struct runner_reply *reply, struct report *r);

/* ". A hint: ..." where the emulated GPU saw a read of what was never written, in this
 * call or an earlier one: a GPU lets it pass, so that alone is no failure; "" where it
 * did not. The caller frees. NULL: we failed. */
char *trial_hint(struct judgement *j, struct report *r);

#endif
