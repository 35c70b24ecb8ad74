/*
 * Which sources of a job's folder and a problem's folder become which programs. It fills
 * in what harness/compile takes, which knows neither jobs nor problems.
 */
#ifndef COMPILER_PROGRAMS_H
#define COMPILER_PROGRAMS_H

#include "base/config.h"
#include "base/report.h"
#include "compile/compile.h"
#include "problem/problem.h"
#include "record/job.h"

/* Compiles FOLDER/submission.cu to FOLDER/submission. The user's mistakes are in out: ok
 * is false, and the message is for the user. -1 and a report mean that we failed. A
 * report with 0 is a warning. The caller frees out with compile_result_free().
 * *unassembled: assemble_submission() must follow, while the submission may run. */
int compile_submission(const struct config *c, const struct job *j, const char *folder,
                       const struct problem *p, struct compile_result *out,
                       bool *unassembled, struct report *r);

/* Has ptxas assemble what compile_submission() left, to FOLDER/assembly. Where ptxas
 * refuses it, out, which is compile_submission()'s, becomes a compile_error. */
int assemble_submission(const struct config *c, const struct job *j, const char *folder,
                        const struct problem *p, struct compile_result *out,
                        struct report *r);

struct listing_wanted;

/* Compiles FOLDER/submission.cu without linking it, and writes its listing to
 * FOLDER/LISTING_FILE (compiler/listing.h). out and the report are as for
 * compile_submission(). */
int list_submission(const struct config *c, const struct job *j, const char *folder,
                    const struct problem *p, const struct listing_wanted *wanted,
                    struct compile_result *out, struct report *r);

/* Compiles the problem's reference to FOLDER/reference and, where it has them, its
 * inputs.c and checker.c to FOLDER/inputs and FOLDER/checker. For emu reference.c is
 * preferred, for a GPU reference.cu. The file FOLDER/reference.kind then holds "c" or
 * "cu". An author's mistake is a report with the compiler's words. */
int compile_reference(const struct config *c, const struct job *j, const char *folder,
                      const struct problem *p, struct report *r);

/* The same for `warpjudge problem check`, which has no submission. The author's mistakes
 * are in out, as a submission's are. A reference in C is also compiled to
 * FOLDER/reference-contracted and, where no parameter is a float64, to
 * FOLDER/reference-float (enum arithmetic of compile.h). */
int compile_reference_alone(const struct config *c, const struct job *j,
                            const char *folder, const struct problem *p,
                            struct compile_result *out, struct report *r);

/* Makes the call of FOLDER/call once more under AddressSanitizer. Where that finds a
 * fault in reference.c, the last finding of soundness.json about it gets the line. */
int find_bounds(const struct config *c, const struct job *j, const char *folder,
                const struct problem *p, struct report *r);

#endif
