/* A calendar of days as text: a row for each day of the week, a column for each week. */
#ifndef CLI_CALENDAR_H
#define CLI_CALENDAR_H

#include "cli/terminal.h"

#include <cjson/cJSON.h>

/* Prints a heading and the counts of days in a row, of which the first is the Monday
 * `from` ("2025-11-24"). As many of the last weeks are shown as the terminal has columns
 * for. It prints nothing where `from` is no date. */
void calendar_print(const struct terminal *t, const char *from, const cJSON *counts);

#endif
