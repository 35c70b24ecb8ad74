/* The sentences that a user reads about a call that went wrong. */
#ifndef ARBITER_JUDGING_EXPLAIN_H
#define ARBITER_JUDGING_EXPLAIN_H

#include "base/buf.h"
#include "numbers/compare.h"
#include "problem/problem.h"

#include <stdbool.h>
#include <stdint.h>

/* Adds one element as a person reads it: the shortest decimal that is this value in its
 * type, or "NaN", "infinity", "-infinity". element points to dtype_size(type) bytes. */
void explain_number(struct buf *out, enum dtype type, const void *element);

/* Adds a flat index as coordinates: "C[30]", "C[2][5]". */
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

/* Returns "test 8 (N=31): C[30] is 0 where 154.25 is expected (absolute error 154.25,
 * relative 1); 1 of 31 elements is wrong". The caller frees it. */
char *explain_mismatch(const struct mismatch *m);

/* Adds "[1, 2, 3]", or rows for a matrix. After EXPLAIN_VALUES_MAX values comes "...". */
#define EXPLAIN_VALUES_MAX 16
void explain_values(struct buf *out, enum dtype type, const struct extent *e,
                    const void *values, uint64_t count);

/* Returns "SIGSEGV (...)": what a signal means that ends a process. The caller frees it.
 */
char *explain_signal(int signal);

/* Writes how a C program of the problem's author has ended, which sees no device: "exit
 * status 3", or "SIGSEGV: it read ...". With `signaled` the code is a signal. */
void explain_author_end(bool signaled, int code, char *out, size_t size);

/* Adds a stranger's text, cut to max bytes. Everything but printable ASCII, newlines and
 * tabs is replaced by "?". */
void explain_untrusted(struct buf *out, const char *text, size_t len, size_t max);

#endif
