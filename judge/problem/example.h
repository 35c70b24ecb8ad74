/*
 * The worked examples of a statement.md. They stand below a heading that begins with
 * "Example", in blocks of indented or fenced lines such as
 *
 *     N = 3, scale = 0.5
 *     A = [1, 2, 3]
 *     C = [[1, 0],
 *          [0, 1]]
 *
 *     D = ?
 *
 * A line without "=" is a note, and so is a name that the reader does not know. Nothing
 * here knows the problem: the caller says what the values must be.
 */
#ifndef PROBLEM_EXAMPLE_H
#define PROBLEM_EXAMPLE_H

#include <stdbool.h>
#include <stddef.h>

struct example_number {
    double value;
    double half_unit; /* half a unit of the last digit; 0 where the number has neither
                         point nor exponent, or is infinite or NaN */
};

struct example_value {
    char *name;
    int line;    /* of statement.md, from 1 */
    int column;  /* where in the line the value begins, from 0 */
    bool wanted; /* it is a question mark, which `problem check` fills in */
    char *
        wrong; /* why this is no value, for people, and then it has no numbers; or NULL */
    int rank;  /* how deep the brackets are nested; 0: a bare number */
    size_t last; /* how many numbers stand in each of the innermost brackets */
    size_t count;
    struct example_number *number; /* row-major */
};

/* All values below one heading, in the order in which they are written. A name may come
 * twice. */
struct example {
    int line; /* of the heading */
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
