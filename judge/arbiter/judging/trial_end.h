/* Private to trial.c and trial_end.c: judges how a call ended that has no outputs to
 * compare. Afterwards j->outcome says what the submission did wrong; -1 is our failure.
 */
#ifndef ARBITER_JUDGING_TRIAL_END_H
#define ARBITER_JUDGING_TRIAL_END_H

#include "arbiter/judging/trial.h"

/* How long a runner may take to come up, make its context and map buffers. */
#define TRIAL_START_MS 30000

/* Calls call_set_arm for the submission's runner, with the submission's limit. */
int trial_arm(struct judgement *j, const struct trial *t, enum runner_event *event,
              struct runner_reply *reply, struct report *r);

/* On emu: judges by the fault that the emulated GPU saw. 1: it saw one; 0: it did not.
 * With `failed` the call failed anyway, so that recoverable faults count, too. */
int trial_judge_fault(struct judgement *j, const struct trial *t, bool failed,
                      struct report *r);

/* Judges by an event other than RUNNER_ANSWERED. With `released`, solve() had been
 * released. */
int trial_judge_event(struct judgement *j, const struct trial *t, bool released,
                      enum runner_event event, struct report *r);

/* Judges by a reply that says that the call failed. */
int trial_judge_status(struct judgement *j, const struct trial *t,
                       const struct runner_reply *reply, struct report *r);

/* Returns ". A hint: ..." if the emulated GPU has noticed something in this call or an
 * earlier one, such as a read of what was never written. Otherwise returns "". A notice
 * is no failure, since a GPU does not stop for it. The caller frees the text. NULL: we
 * have failed. */
char *trial_hint(struct judgement *j, struct report *r);

#endif
