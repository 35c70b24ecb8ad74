/*
 * Which sources of a job's folder and a problem's folder become which programs: the
 * judge's side of harness/compile, which knows neither jobs nor problems.
 */
#ifndef COMPILER_PROGRAMS_H
#define COMPILER_PROGRAMS_H

#include "core/config.h"
#include "core/job.h"
#include "core/problem.h"
#include "core/report.h"

/* FOLDER/submission.cu -> FOLDER/submission. The user's mistakes are in out (ok false,
 * with the message a user reads); -1 and a report mean that we failed. A report with 0 is
 * a warning. The caller frees out with compile_result_free. */
int compile_submission(const struct config *c, const struct job *j, const char *folder,
                       const struct problem *p, struct compile_result *out,
                       struct report *r);

/* The problem's reference -> FOLDER/reference, and its inputs.c -> FOLDER/inputs and
 * checker.c -> FOLDER/checker, where it has them. For emu reference.c is preferred, on a
 * GPU reference.cu. The file FOLDER/reference.kind holds "c" or "cu". An author's mistake
 * comes back as a report with the compiler's words. */
int compile_reference(const struct config *c, const struct job *j, const char *folder,
                      const struct problem *p, struct report *r);

/* The same for `warpjudge problem check`, with no submission beside it: the author's
 * mistakes are in out, as a submission's are. */
int compile_reference_alone(const struct config *c, const struct job *j,
                            const char *folder, const struct problem *p,
                            struct compile_result *out, struct report *r);

#endif
