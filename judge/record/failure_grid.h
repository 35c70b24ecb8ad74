/*
 * What a wrong answer tells beside its first wrong element, as members of "failure" in
 * the findings (docs/http-api.md):
 *
 *     window   the elements around it, and which of them are wrong
 *     map      a heat map: where in the matrix wrong elements lie, and how many
 *
 * The arbiter writes both. The daemon and the command line read them by these functions,
 * which refuse what is not whole or is larger than it may be.
 */
#ifndef RECORD_FAILURE_GRID_H
#define RECORD_FAILURE_GRID_H

#include "base/buf.h"

#include <stdbool.h>
#include <stdint.h>

struct cJSON;

#define WINDOW_ROWS 7
#define WINDOW_COLUMNS 9
#define WINDOW_RANK_MAX 6 /* PROBLEM_RANK_MAX of problem/problem.h */

/* Cells along a side of the map. A coarse map is of a hidden test, or of a sample of so
 * many elements that smaller cells would hold too few of them. */
#define MAP_CELLS 32
#define MAP_CELLS_COARSE 16

struct failure_window {
    int rank;                       /* of the output */
    uint64_t from[WINDOW_RANK_MAX]; /* the window's first element */
    int rows, columns;              /* rows: 1 where the rank is 1 */
    int row, column;                /* the first wrong element's place in the window */
    bool judged;                    /* each element was judged by itself */
    bool wrong[WINDOW_ROWS][WINDOW_COLUMNS]; /* if so, which are wrong */
    /* Rows of values, which are numbers or short texts; NULL: they are not told. */
    const struct cJSON *got, *want;
};

/* The matrix is the output's last two dimensions, of which the first is 1 where the
 * output has one only. Of an output with more it is that of the first wrong element. */
struct failure_map {
    uint64_t rows, columns; /* of the matrix */
    uint64_t wrong;         /* how many of the elements looked at are wrong */
    uint64_t looked_at;     /* fewer than the matrix has: a sample of them */
    int cell_rows, cell_columns;
    uint8_t share[MAP_CELLS][MAP_CELLS]; /* of each cell's elements, in percent */
    bool three_levels;                   /* a share is 0, 50 (some of them) or 100 */
    bool has_box;                        /* all wrong elements are in this box: */
    uint64_t top, bottom, left, right;   /* both ends are inside */
};

/* Reads them from a failure. False: it has none that can be believed. The values of the
 * window belong to the failure. */
bool failure_window_read(const struct cJSON *failure, struct failure_window *out);
bool failure_map_read(const struct cJSON *failure, struct failure_map *out);

/* A value of the window; NULL: it is not told. */
const struct cJSON *failure_window_value(const struct cJSON *rows, int row, int column);

/* The first index along a side of this length that is in a cell or behind it. */
uint64_t failure_map_edge(uint64_t length, int cells, int cell);

/* Does the map say more than counts do: a place, or where no more was looked at? */
bool failure_map_has_place(const struct failure_map *m);

/* Adds "C: 1,024 of 65,536 elements are wrong, all in columns 992 to 1023". One matrix of
 * several is called "C[2]". */
void failure_map_words(struct buf *out, const struct cJSON *failure,
                       const struct failure_map *m);

#endif
