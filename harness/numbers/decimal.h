/* Elements as decimal text. */
#ifndef NUMBERS_DECIMAL_H
#define NUMBERS_DECIMAL_H

#include "numbers/dtype.h"

#include <stdbool.h>

#define DECIMAL_BYTES 40

/* Writes the shortest decimal that is this value in its type, or "NaN", "infinity",
 * "-infinity". The element points to dtype_size(type) bytes. */
void decimal_text(enum dtype type, const void *element, char out[DECIMAL_BYTES]);

/* Is it a number that readers and writers of JSON keep, which have doubles? */
bool decimal_is_json(enum dtype type, const void *element);

#endif
