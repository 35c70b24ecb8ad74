/*
 * The profile of a submission on a GPU: Nsight Compute reads the GPU's counters in one
 * more call at the benchmark's size. The call is made in a process of its own that
 * allocates its memory itself. So nothing of the arbiter is in its reach
 * (nvidia_tools.h). Its inputs are public, and nothing of it is ranked.
 */
#ifndef ARBITER_PROFILING_DEVICE_PROFILE_H
#define ARBITER_PROFILING_DEVICE_PROFILE_H

#include "arbiter/judging/judgement.h"

/* Makes the profile after sample tests that were right, and ends the submission's runner
 * before. If there is no profile, the result says why. */
int device_profile_run(struct judgement *j, struct report *r);

#endif
