/*
 * Columns of text, aligned. A column whose cells are all empty is left out.
 *
 * On a terminal no line is longer than the terminal is wide. Cells are cut where
 * table_may_cut() allows it, and columns are left out in the order of table_may_leave().
 * Where that is not enough, any column of text is cut. A pipe gets everything.
 */
#ifndef CLI_TABLE_H
#define CLI_TABLE_H

#include "cli/terminal.h"

#include <stdbool.h>

struct column {
    const char *title;
    bool right; /* align to the right, as numbers are */
};

struct table;

/* `columns` must live as long as the table. The caller calls table_free(). */
struct table *table_new(const struct column *columns, int count);
void table_free(struct table *t);

/* A column, by its number from 0, may be cut to `least` columns of the terminal. */
void table_may_cut(struct table *t, int column, int least);

/* A column may be left out; the one with the highest order is the first to go. */
void table_may_leave(struct table *t, int column, int order);

/* Begins a row. */
void table_row(struct table *t, enum style style);
void table_cell(struct table *t, const char *format, ...)
    __attribute__((format(printf, 2, 3))); /* fills its next cell */
void table_print(const struct table *t, const struct terminal *out);

#endif
