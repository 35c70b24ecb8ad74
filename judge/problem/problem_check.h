/*
 * Tells an author everything that is wrong with a problem's folder, for `warpjudge
 * problem check`. problem_load() stops at the first error.
 */
#ifndef PROBLEM_CHECK_H
#define PROBLEM_CHECK_H

/* Called once for each error. where is "problem.json: $.params[2].shape[0]" or a file of
 * the folder, such as "statement.md". sentence says what is wrong there, without a
 * newline. */
typedef void problem_error_fn(void *context, const char *where, const char *sentence);

/* Checks DIR/SLUG without running anything, and returns the number of errors. It checks
 * the spec (keys, types, expressions, shapes) and every test's sizes, values and memory.
 * Values that are made on the host are made once. Statement and references must be there,
 * and so must a sample test. Words are compared with vocabulary.json (vocabulary.h). */
int problem_check(const char *dir, const char *slug, problem_error_fn *on_error,
                  void *context);

#endif
