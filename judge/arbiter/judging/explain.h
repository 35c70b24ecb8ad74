/* The sentences that a user reads about a call that went wrong. */
#ifndef ARBITER_JUDGING_EXPLAIN_H
#define ARBITER_JUDGING_EXPLAIN_H

#include "base/buf.h"
#include "numbers/compare.h"
#include "problem/problem.h"

#include <stdbool.h>
#include <stdint.h>

/* One element as a person reads it: the shortest decimal that is this value in its type;
 * "NaN", "infinity", "-infinity". element points to dtype_size(type) bytes. */
void explain_number(struct buf *out, enum dtype type, const void *element);

/* "C[30]", "C[2][5]": a flat index as coordinates. */
void explain_place(struct buf *out, const char *name, const struct extent *e,
                   uint64_t flat);

struct mismatch {
    const char *where; /* "test 8 (N=31)" */
    const struct param *param;
    const struct extent *extent;
    const struct compare_result *result;
    const void *got, *want; /* the first wrong element; aligned for its type */
    const void *before;     /* the poison that it held; NULL if it held none */
};
/* "test 8 (N=31): C[30] is 0 where 154.25 is expected (absolute error 154.25, relative
 * 1); 1 of 31 elements is wrong" */
char *explain_mismatch(const struct mismatch *m); /* the caller frees */

/* "[1, 2, 3]", or rows for a matrix, at most EXPLAIN_VALUES_MAX values and then "...". */
#define EXPLAIN_VALUES_MAX 16
void explain_values(struct buf *out, enum dtype type, const struct extent *e,
                    const void *values, uint64_t count);

/* "SIGSEGV (...)": what a signal that ends a process means; the caller frees. */
char *explain_signal(int signal);

/* "exit status 3", or "SIGSEGV: it read ...": how a C program of the problem's author,
 * which sees no device, has ended. signaled: code is a signal. */
void explain_author_end(bool signaled, int code, char *out, size_t size);

/* Text of a stranger's, cut to max bytes, with everything but printable ASCII,
 * newlines and tabs replaced by "?". */
void explain_untrusted(struct buf *out, const char *text, size_t len, size_t max);

#endif
