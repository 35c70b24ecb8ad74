/* Writes one call of solve() into a folder, for a runner without an arbiter
 * (runner/alone.h). */
#ifndef ARBITER_PROFILING_CALL_FILES_H
#define ARBITER_PROFILING_CALL_FILES_H

#include "arbiter/judging/judgement.h"

/* Writes the submission and a call at the size of `test` to the folder, which is made
 * anew. Its inputs follow from the judgement's seed, which of a profile is no secret. */
int call_files_write(struct judgement *j, const struct test_case *test,
                     const char *folder, struct report *r);

#endif
