/* The elements around the first wrong one of a wrong answer (record/failure_grid.h). */
#ifndef CLI_WRONG_GRID_H
#define CLI_WRONG_GRID_H

#include "cli/terminal.h"

struct cJSON;

/* Prints the values around the first wrong element of a failure, where they are told and
 * there are others, and where in the matrix wrong ones lie. No line of the values has
 * more than 80 columns, or than the terminal has. */
void wrong_grid_print(const struct terminal *t, const struct cJSON *failure);

#endif
