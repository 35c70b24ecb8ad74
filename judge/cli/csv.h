/* Tables as CSV (RFC 4180), for programs and for spreadsheets. */
#ifndef CLI_CSV_H
#define CLI_CSV_H

#include <cjson/cJSON.h>
#include <stdio.h>

/* Prints a line with the names of `keys`, which NULL ends, and a line for each object of
 * an array. A member that is missing or null is an empty cell. A text that a spreadsheet
 * would take for a formula gets an apostrophe before it. */
void csv_print(FILE *file, const char *const *keys, const cJSON *rows);

#endif
