/*
 * The words that problems are sorted by: vocabulary.json, which lies beside the problems'
 * folders.
 *
 *     {"tags": {"scan": "Each output combines all inputs up to its place.", ...}}
 *
 * Each word has a sentence that says what it means. Where the file is there, `problem
 * check` takes no other tag, so that nobody looks for "topk" and misses what is under
 * "top-k". Without it a folder of problems has any tags. The judge itself asks nobody:
 * a tag changes no verdict.
 */
#ifndef PROBLEM_VOCABULARY_H
#define PROBLEM_VOCABULARY_H

#include "problem/problem.h"
#include "problem/problem_check.h"

/* Reports each tag of the problem that is there twice, or that DIR/vocabulary.json does
 * not have, and what is wrong with that file. Returns the number of errors. */
int vocabulary_check(const char *dir, const struct problem *p, problem_error_fn *on_error,
                     void *context);

#endif
