/* Outputs whose rows may come in any order: right iff each row of the last dimension
 * holds the expected values, each as often as expected. Values are equal as under
 * COMPARE_EXACT. On the host. */
#ifndef CORE_COMPARE_ROWS_H
#define CORE_COMPARE_ROWS_H

#include "core/dtype.h"

#include <stdint.h>

struct compare_rows_result {
    uint64_t wrong;   /* rows that are */
    uint64_t first;   /* the first of them */
    uint64_t missing; /* flat index of an element of want that this row of got lacks */
};

void compare_rows(enum dtype type, const void *got, const void *want, uint64_t rows,
                  uint64_t columns, struct compare_rows_result *out);

#endif
