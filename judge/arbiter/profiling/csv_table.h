/* A table as Nsight Compute prints it (RFC 4180): rows of cells in quotation marks. The
 * text may be any, since the program that was profiled can write into it. */
#ifndef ARBITER_PROFILING_CSV_TABLE_H
#define ARBITER_PROFILING_CSV_TABLE_H

#include <stdbool.h>
#include <stddef.h>

struct csv_table;

/* Lines between the rows that do not begin with a quotation mark are messages, and no
 * part of the table. A last row that is cut off is none. The caller frees the table with
 * csv_table_free(). */
struct csv_table *csv_table_read(const char *text, size_t len);
void csv_table_free(struct csv_table *t);

size_t csv_table_rows(const struct csv_table *t);
size_t csv_table_columns(const struct csv_table *t, size_t row);

/* The text of a cell; "" where the row does not have it. */
const char *csv_table_cell(const struct csv_table *t, size_t row, size_t column);

/* The first column from `column` on whose cell in the row is this text. False: none. */
bool csv_table_find(const struct csv_table *t, size_t row, const char *text,
                    size_t *column);

/* The number in a cell, such as 1,234.5; NAN where there is none. */
double csv_table_number(const struct csv_table *t, size_t row, size_t column);

#endif
