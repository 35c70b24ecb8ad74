/* Says for which assignments something came too late. */
#ifndef CLI_DUE_H
#define CLI_DUE_H

#include "cli/terminal.h"

#include <cjson/cJSON.h>

/* Prints a line for each assignment of an answer for which it is late. */
void due_print(const struct terminal *t, const cJSON *answer);

#endif
