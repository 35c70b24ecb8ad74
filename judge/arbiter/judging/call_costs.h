/*
 * What the submission's kernels cost on the emulated GPU, for result.json: totals, the
 * costliest kernels and their costliest lines. Nothing of it comes from a functional test
 * whose values are secret: for `submit` it is of the timed calls, for `run` of one more
 * call, at the benchmark's size and with inputs drawn for it alone.
 */
#ifndef ARBITER_JUDGING_CALL_COSTS_H
#define ARBITER_JUDGING_CALL_COSTS_H

#include "arbiter/judging/judgement.h"

/* Counts anew from here on; *before is what has been counted until now. Nothing happens
 * where the device is no emulated one. */
struct counters;
int costs_begin(struct judgement *j, struct counters *before, struct report *r);

/* Puts what was counted since then, in `calls` calls of the size `sizes`, into
 * j->result. */
int costs_end(struct judgement *j, const struct counters *before, int calls,
              const char *sizes, struct report *r);

/* `run`, after samples that were right: the one call more. Its outcome is not judged; if
 * it fails, the result says why there are no costs. */
int costs_run(struct judgement *j, struct report *r);

#endif
