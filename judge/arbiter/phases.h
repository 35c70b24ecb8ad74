/*
 * The phases of one judgement, in their order. main.c has the theory of operation.
 *
 *     prepare.c            before the "go": the device, the reference's answers, the
 *                          submission's runner, the calls of the empty solve()
 *     phases.c             after the "go": loads, tests, times and ends the submission
 *     functional_tests.c   runs the tests of the spec
 *     measuring/timing.c   makes the timed calls
 *
 * Five folders do the work, and each may include those before it:
 *
 *     calling/             the runner that makes a call, and its buffers
 *     judging/             one call and its answer
 *     profiling/           a profile on a GPU, by NVIDIA's tools
 *     measuring/           what a time needs
 *     soundness/           the proof that a problem's tests are good
 */
#ifndef ARBITER_PHASES_H
#define ARBITER_PHASES_H

#include "arbiter/judging/judgement.h"

/* The next three functions prepare a judgement, in this order. judgement_close must
 * follow, whatever they return.
 *
 * With `ahead` they prepare while another submission is judged, in steps that keep out of
 * its way (calling/gpu_lock.h). A failure may then only mean that memory was short, or
 * that the device cannot be shared. */

/* Reads what is not compiled of the folder, opens the device or takes it from the stock,
 * and starts the runner into which the submission will be loaded. With `ahead`,
 * judgement_wake starts the runner. The stock is NULL in an arbiter that judges once. */
int judgement_open(struct judgement *j, const char *folder, bool ahead,
                   struct stock *stock, struct report *r);

/* Waits until the runner is up, and calls the empty solve() in it where calls will be
 * timed. A caller who need not wait for the reference leaves this to judgement_prepare,
 * which does it when the reference is up. */
int judgement_wake(struct judgement *j, struct report *r);

/* Starts the reference, which must be compiled, and computes every test's answer. Returns
 * 1 where nobody wants the judgement any more. */
int judgement_prepare(struct judgement *j, struct report *r);

/* Runs the submission. On success j->result is complete. */
int judgement_run(struct judgement *j, struct report *r);

/* Was nothing odd about a preparation that is given up? Nothing of the submission was
 * loaded. */
bool judgement_was_prepared_well(const struct judgement *j);

/* Frees j->result, too. After a judgement or a preparation that has ended well the device
 * goes to the stock, if there is one. */
void judgement_close(struct judgement *j);

#endif
