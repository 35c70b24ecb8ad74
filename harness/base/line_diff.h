/* The difference of two texts by lines: which lines are gone, and which are new. */
#ifndef BASE_LINE_DIFF_H
#define BASE_LINE_DIFF_H

#include "base/buf.h"

#include <stddef.h>

enum diff_kind { DIFF_SAME, DIFF_GONE, DIFF_NEW };

struct diff_line {
    enum diff_kind kind;
    size_t before, after; /* its numbers in the two texts, from 1; 0: it is not there */
    const char *text;     /* in one of the texts; with its newline, if it has one */
    size_t len;
};

/* All lines of both texts, in an order in which each text's own lines are in order. */
struct line_diff {
    struct diff_line *line;
    size_t count;
    size_t gone, added;
};

/* Compares two texts, which must live as long as the difference. It has the fewest
 * changes, unless these are more than DIFF_CHANGES_MAX: then the part from the first
 * change to the last one is exchanged as a whole. The caller calls line_diff_free(). */
#define DIFF_CHANGES_MAX 2000
void line_diff_make(const char *before, const char *after, struct line_diff *out);
void line_diff_free(struct line_diff *d);

/* Appends the difference in the unified format, with three lines around each change. It
 * appends nothing where the texts are equal. The names stand in its head. */
void line_diff_unified(const struct line_diff *d, const char *before_name,
                       const char *after_name, struct buf *out);

#endif
