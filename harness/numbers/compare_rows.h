/* Compares outputs whose rows may come in any order. A row of the last dimension is right
 * iff it holds the expected values, each as often as expected. Values are equal as under
 * COMPARE_EXACT. The comparison runs on the host. */
#ifndef NUMBERS_COMPARE_ROWS_H
#define NUMBERS_COMPARE_ROWS_H

#include "numbers/dtype.h"

#include <stdint.h>

struct compare_rows_result {
    uint64_t wrong;   /* how many rows are wrong */
    uint64_t first;   /* the first wrong row */
    uint64_t missing; /* flat index of an element of want that the row `first` lacks */
};

void compare_rows(enum dtype type, const void *got, const void *want, uint64_t rows,
                  uint64_t columns, struct compare_rows_result *out);

#endif
