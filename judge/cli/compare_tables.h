/* What `compare` shows of two submissions side by side. */
#ifndef CLI_COMPARE_TABLES_H
#define CLI_COMPARE_TABLES_H

#include "base/line_diff.h"
#include "cli/terminal.h"

#include <cjson/cJSON.h>

/* The two submissions as the API shows them. */
struct compared {
    const cJSON *before, *after;
};

/* Prints times, places and counters, each of one call. */
void compare_print_figures(const struct terminal *t, const struct compared *c);

/* Prints what the lines of both sources cost in one call, where that is known. The
 * difference says which of them are the same line. */
void compare_print_lines(const struct terminal *t, const struct compared *c,
                         const struct line_diff *diff);

#endif
