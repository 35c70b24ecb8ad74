/*
 * Lines that `grade` has read ahead and not sent yet. They are sent problem by problem,
 * as far as they are here. A GPU's arbiter keeps the reference of the problem that it has
 * judged last, which saves the next one a context (arbiter/judging/stock.h).
 */
#ifndef CLI_GRADE_AHEAD_H
#define CLI_GRADE_AHEAD_H

#include "cli/grade_line.h"

#include <stdbool.h>
#include <stddef.h>

#define GRADE_AHEAD_MAX 1000                 /* lines */
#define GRADE_AHEAD_BYTES ((size_t)64 << 20) /* of their sources */
#define GRADE_IN_A_ROW 64 /* of one problem, while lines of others wait */

struct grade_waiting; /* a line */

/* Zeros are one without lines. */
struct grade_ahead {
    struct grade_waiting *first, *last;
    int count;
    size_t bytes;
    char *problem; /* of the line that was taken last; NULL: none was */
    int in_a_row;  /* lines of that problem that were taken */
};

/* Should nothing more be read? */
bool grade_ahead_is_full(const struct grade_ahead *a);

/* Adds a line behind the others. What it holds is a's from then on. */
void grade_ahead_add(struct grade_ahead *a, const struct grade_line *line);

/* Takes the first line of the problem that the last one was of, or else the first one.
 * What it holds is the caller's. False: there is none. */
bool grade_ahead_take(struct grade_ahead *a, struct grade_line *out);

void grade_ahead_free(struct grade_ahead *a);

#endif
