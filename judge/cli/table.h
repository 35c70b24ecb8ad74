/* Columns of text, aligned. A column whose cells are all empty is left out. */
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

/* Begins a row. */
void table_row(struct table *t, enum style style);
void table_cell(struct table *t, const char *format, ...)
    __attribute__((format(printf, 2, 3))); /* fills its next cell */
void table_print(const struct table *t, const struct terminal *out);

#endif
