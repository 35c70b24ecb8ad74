/* The house's marks, as a board and a result show them. */
#ifndef CLI_HOUSE_MARKS_H
#define CLI_HOUSE_MARKS_H

#include "cli/terminal.h"

#include <cjson/cJSON.h>

/* Prints "2 of 4 house steps beaten" without a line's end. `house` has "steps", which is
 * above 0, and "beaten". */
void house_count_print(const struct terminal *t, const cJSON *house);

/* Prints the marks of a board. It prints nothing where the board has none. */
void house_marks_print(const struct terminal *t, const cJSON *board);

#endif
