/*
 * What `warpjudge problem check` tells an author: everything that is wrong with a
 * problem's folder, not only the first thing. problem_load stops at the first.
 */
#ifndef CORE_PROBLEM_CHECK_H
#define CORE_PROBLEM_CHECK_H

/* Called once for each thing that is wrong. where: "problem.json: $.params[2].shape[0]"
 * or a file of the folder, "statement.md"; sentence: what is wrong there, without a
 * newline. */
typedef void problem_error_fn(void *context, const char *where, const char *sentence);

/* Checks DIR/SLUG: the spec (keys, types, expressions, shapes, every test's sizes, values
 * and memory; values that are made on the host are made once), the presence of statement
 * and references, that there is a sample. Runs nothing. Returns the number of errors; 0:
 * the problem is sound as far as it can be seen. */
int problem_check(const char *dir, const char *slug, problem_error_fn *on_error,
                  void *context);

#endif
