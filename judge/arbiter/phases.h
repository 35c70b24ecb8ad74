/*
 * The phases of one judgement, in their order. main.c tells the whole story.
 *
 *   prepare.c            before the "go": device, reference and its answers, the process
 *                        that the submission will be loaded into, the empty solve()
 *   phases.c             after it: the submission is loaded, tested, timed, and ended
 *   functional_tests.c   the tests of the spec
 *   measuring/timing.c   the timed calls
 *
 * judging/ is one call and its answer, calling/ the runner that makes it, measuring/ what
 * a time needs, soundness/ the proof that a problem's tests are good. Of these four
 * folders measuring and soundness may include judging, and judging calling.
 */
#ifndef ARBITER_PHASES_H
#define ARBITER_PHASES_H

#include "arbiter/judging/judgement.h"

/* Preparing is these three, in this order. ahead: while another is judged, in steps that
 * keep out of its way; what fails then may only have been short of memory, or of a device
 * that can be shared. Whatever they return, judgement_close is needed. */

/* Reads the folder but for what is compiled, opens the device and starts the process
 * that the submission will be loaded into. */
int judgement_open(struct judgement *j, const char *folder, bool ahead, struct report *r);

/* Waits until that is up. For who must wait for the reference anyway: else it is better
 * done when the reference is up, too, as judgement_prepare does. */
int judgement_wake(struct judgement *j, struct report *r);

/* Starts the reference, which is compiled, and computes every test's answer. */
int judgement_prepare(struct judgement *j, struct report *r);

/* Runs the submission. Afterwards j->result is complete. */
int judgement_run(struct judgement *j, struct report *r);

void judgement_close(struct judgement *j); /* j->result is freed, too */

#endif
