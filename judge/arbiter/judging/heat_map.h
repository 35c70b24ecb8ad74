/* Counts where in a matrix wrong elements lie, cell by cell. It is asked only about an
 * output that has been found wrong. */
#ifndef ARBITER_JUDGING_HEAT_MAP_H
#define ARBITER_JUDGING_HEAT_MAP_H

#include "numbers/compare.h"
#include "record/failure_grid.h"

#include <stdbool.h>
#include <stdint.h>

struct heat_cell {
    uint64_t wrong, seen;
};

struct heat_map {
    uint64_t rows, columns; /* of the matrix */
    int cell_rows, cell_columns;
    struct heat_cell cell[MAP_CELLS][MAP_CELLS];
    uint64_t wrong, seen;
    uint64_t top, bottom, left, right; /* the box of all that is wrong, if anything is */
};

/* Begins the map of a matrix, with at most `cells` cells along each side. */
void heat_map_begin(struct heat_map *m, uint64_t rows, uint64_t columns, int cells);

/* Counts `count` elements from the matrix's flat index `at` on. */
void heat_map_count(struct heat_map *m, const struct compare_rule *rule, const void *got,
                    const void *want, uint64_t at, uint64_t count);

/* Makes the member "map" of a failure. With three_levels a share says only whether none,
 * some or all elements of a cell are wrong. The caller owns it. */
struct cJSON *heat_map_json(const struct heat_map *m, bool three_levels);

#endif
