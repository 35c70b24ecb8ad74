/* The tools of compute-sanitizer on a GPU. Each looks at one more call, at the size of
 * emu's benchmark, in a process of its own (nvidia_tools.h). What they find are notices:
 * they decide no verdict. */
#ifndef ARBITER_PROFILING_DEVICE_SANITIZE_H
#define ARBITER_PROFILING_DEVICE_SANITIZE_H

#include "arbiter/judging/judgement.h"

/* Runs the tools after sample tests that were right, and ends the submission's runner
 * before. The result tells what each has found, or why it could not look. */
int device_sanitize_run(struct judgement *j, struct report *r);

#endif
