/*
 * The words that problems are sorted by: vocabulary.json, which lies beside the problems'
 * folders.
 *
 *     {"tags": {"scan": "Each output combines all inputs up to its place.", ...},
 *      "teaches": {"threads": "One thread computes one element.", ...}}
 *
 * Each word has a sentence that says what it means. Where the file is there, `problem
 * check` takes no other tag, so that nobody looks for "topk" and misses what is under
 * "top-k". Without it a folder of problems has any tags. The judge itself asks nobody:
 * a tag changes no verdict.
 *
 * "teaches" has the lessons of the course, in its order, which is also that of `warpjudge
 * next`. Without it problems may teach anything, and the order is that of difficulty.
 */
#ifndef PROBLEM_VOCABULARY_H
#define PROBLEM_VOCABULARY_H

#include "problem/course.h"
#include "problem/problem.h"
#include "problem/problem_check.h"

/* Reports each word of the problem that is there twice, or that DIR/vocabulary.json does
 * not have, and what is wrong with that file. Returns the number of errors. */
int vocabulary_check(const char *dir, const struct problem *p, problem_error_fn *on_error,
                     void *context);

/* The lessons of DIR/vocabulary.json in their order, each with its sentence: an object
 * that the caller deletes. It is empty where there is none. NULL and a report where the
 * file cannot be read. */
struct cJSON *vocabulary_lessons(const char *dir, struct report *r);

/* A course of these lessons, and no problem yet. The caller calls course_free(). */
struct course *vocabulary_course(const struct cJSON *lessons);

#endif
