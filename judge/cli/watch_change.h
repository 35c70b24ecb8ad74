/* What has changed between two runs of a file, for `watch`. */
#ifndef CLI_WATCH_CHANGE_H
#define CLI_WATCH_CHANGE_H

#include "cli/terminal.h"

#include <cjson/cJSON.h>

/* Prints a line for each change from one finished submission to the next: tests that pass
 * or fail now, another verdict, another modelled time. Nothing where `before` is NULL. */
void watch_change_print(const struct terminal *t, const cJSON *before, const cJSON *now);

#endif
