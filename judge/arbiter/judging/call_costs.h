/*
 * What the submission's kernels cost on the emulated GPU, for result.json: totals, the
 * costliest kernels and their costliest lines.
 *
 * Nothing in it comes from a functional test whose values are secret. For `submit` the
 * costs are those of the timed calls. For `run` they are those of one more call, which
 * has the benchmark's size and inputs drawn for it alone. A profile makes that call, too,
 * with inputs that everybody may know, and tells all kernels and lines of it. On a GPU
 * only a profile has costs, which are measured (profiling/).
 */
#ifndef ARBITER_JUDGING_CALL_COSTS_H
#define ARBITER_JUDGING_CALL_COSTS_H

#include "arbiter/judging/judgement.h"

struct counters;

/* Counts anew from here on. *before is what was counted until now. Does nothing unless
 * the device is emulated. */
int costs_begin(struct judgement *j, struct counters *before, struct report *r);

/* Writes what was counted since then to j->result. It was counted in `calls` calls of the
 * size `sizes`. */
int costs_end(struct judgement *j, const struct counters *before, int calls,
              const char *sizes, struct report *r);

/* Makes the one more call of `run`, after sample tests that were right. Its outcome is
 * not judged. If it fails, the result says why there are no costs. */
int costs_run(struct judgement *j, struct report *r);

/* The result says that there are no costs of a call of that size, and why. */
void costs_failed(struct judgement *j, const char *sizes, const char *message);

/* The result has what a profiler measured of a call's kernels, or what each tool of
 * compute-sanitizer has found in it. The array belongs to the result then. */
struct cJSON;
void costs_tell_kernels(struct judgement *j, const char *sizes, const char *measured_by,
                        struct cJSON *kernels);
void costs_tell_sanitizers(struct judgement *j, const char *sizes, struct cJSON *tools);

#endif
