/*
 * The worked examples of a statement.md: below a heading that begins with "Example", the
 * blocks of indented or fenced lines, in each the lines
 *
 *     N = 3, scale = 0.5
 *     A = [1, 2, 3]
 *     C = [[1, 0],
 *          [0, 1]]
 *
 *     D = ?
 *
 * A line without "=" is a note, as is a name that the reader does not know. Nothing here
 * knows the problem; what the values must be is the caller's to say.
 */
#ifndef CORE_EXAMPLE_H
#define CORE_EXAMPLE_H

#include <stdbool.h>
#include <stddef.h>

struct example_number {
    double value;
    double half_unit; /* half a unit of the last digit behind the point; 0: there is no
                         point and no exponent, or it is infinite or NaN */
};

struct example_value {
    char *name;
    int line;    /* of statement.md, from 1 */
    int column;  /* where in the line the value begins, from 0 */
    bool wanted; /* a question mark stands there: `problem check` fills it in */
    char
        *wrong; /* NULL, or why this is no value, for people; then there are no numbers */
    int rank;   /* 0: a bare number; else how deep the brackets are nested */
    size_t last; /* how many numbers stand in each of the innermost brackets */
    size_t count;
    struct example_number *number; /* row-major */
};

/* All values below one heading, in the order they are written; names may come twice. */
struct example {
    int line; /* the heading's */
    int count;
    struct example_value *value;
};

struct examples {
    int count;
    struct example *example;
};

void examples_read(const char *text, struct examples *out);
void examples_free(struct examples *e);

#endif
