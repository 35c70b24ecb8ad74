/*
 * A roster as CSV (RFC 4180): who is to be in a group. The first line names the columns.
 * `user` must be there; `full_name` and `student_id` may be; other columns are not read.
 * Cells are separated by commas, or by semicolons where the first line has no comma. An
 * apostrophe before = + - @, which exports put there for spreadsheets, is taken away.
 *
 * The functions are pure functions over what strangers send (tests/fuzz/fuzz_roster.c).
 */
#ifndef DAEMON_ROSTER_H
#define DAEMON_ROSTER_H

#include "base/report.h"

#include <stddef.h>

#define ROSTER_ROWS_MAX 1000
#define ROSTER_COLUMNS_MAX 64
#define FULL_NAME_MAX 100 /* characters, also of a student's id */

struct roster_row {
    char *user, *full_name, *student_id; /* the last two are NULL where there is none */
    int line;                            /* where the row begins, from 1 */
};

struct roster {
    struct roster_row *row;
    size_t count;
};

/* The text is UTF-8 without NUL. On failure the report is for who sent it. */
int roster_parse(const char *text, struct roster *out, struct report *r);
void roster_free(struct roster *roster);

#endif
