#include "arbiter/profiling/csv_table.h"

#include "base/arena.h"
#include "base/buf.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct csv_row {
    const char **cell;
    size_t count, cap;
};

struct csv_table {
    struct arena *cells;
    struct csv_row *row;
    size_t count, cap;
};

static void
row_add(struct csv_row *row, const char *cell)
{
    if (row->count == row->cap) {
        row->cap = row->cap != 0 ? row->cap * 2 : 64;
        row->cell = xrealloc(row->cell, row->cap * sizeof *row->cell);
    }
    row->cell[row->count++] = cell;
}

static struct csv_row *
table_add_row(struct csv_table *t)
{
    if (t->count == t->cap) {
        t->cap = t->cap != 0 ? t->cap * 2 : 64;
        t->row = xrealloc(t->row, t->cap * sizeof *t->row);
    }
    t->row[t->count] = (struct csv_row){0};
    return &t->row[t->count++];
}

/* Reads a cell in quotation marks, in which two of them stand for one. Returns the place
 * behind it, or NULL if it has no end. */
static const char *
read_cell(struct csv_table *t, const char *at, const char *end, struct csv_row *row)
{
    struct buf text = {0};

    for (at++; at < end; at++) {
        if (*at == '"' && (at + 1 == end || at[1] != '"')) {
            row_add(row, arena_strdup(t->cells, buf_str(&text)));
            buf_free(&text);
            return at + 1;
        }
        if (*at == '"')
            at++;
        buf_add(&text, at, 1);
    }
    buf_free(&text);
    return NULL;
}

/* Reads a row, which begins with a quotation mark. Returns the place of the next line, or
 * NULL if the row has no end. */
static const char *
read_row(struct csv_table *t, const char *at, const char *end)
{
    struct csv_row *row = table_add_row(t);

    while (at != NULL && at < end && *at == '"') {
        at = read_cell(t, at, end, row);
        if (at != NULL && at < end && *at == ',')
            at++;
    }
    if (at == NULL)
        return NULL;
    at = memchr(at, '\n', (size_t)(end - at));
    return at != NULL ? at + 1 : NULL;
}

struct csv_table *
csv_table_read(const char *text, size_t len)
{
    struct csv_table *t = xcalloc(1, sizeof *t);
    const char *end = text + len, *at = text;

    t->cells = arena_new();
    while (at != NULL && at < end) {
        if (*at == '"') {
            const char *next = read_row(t, at, end);

            if (next == NULL)
                free(t->row[--t->count].cell);
            at = next;
        } else {
            at = memchr(at, '\n', (size_t)(end - at));
            at = at != NULL ? at + 1 : NULL;
        }
    }
    return t;
}

void
csv_table_free(struct csv_table *t)
{
    if (t == NULL)
        return;
    for (size_t i = 0; i < t->count; i++)
        free(t->row[i].cell);
    free(t->row);
    arena_free(t->cells);
    free(t);
}

size_t
csv_table_rows(const struct csv_table *t)
{
    return t->count;
}

size_t
csv_table_columns(const struct csv_table *t, size_t row)
{
    return row < t->count ? t->row[row].count : 0;
}

const char *
csv_table_cell(const struct csv_table *t, size_t row, size_t column)
{
    return column < csv_table_columns(t, row) ? t->row[row].cell[column] : "";
}

bool
csv_table_find(const struct csv_table *t, size_t row, const char *text, size_t *column)
{
    for (size_t i = *column; i < csv_table_columns(t, row); i++)
        if (strcmp(t->row[row].cell[i], text) == 0) {
            *column = i;
            return true;
        }
    return false;
}

double
csv_table_number(const struct csv_table *t, size_t row, size_t column)
{
    const char *cell = csv_table_cell(t, row, column);
    char digits[64], *end;
    size_t n = 0;
    double value;

    for (; *cell != '\0' && n < sizeof digits - 1; cell++)
        if (*cell != ',')
            digits[n++] = *cell;
    digits[n] = '\0';
    if (*cell != '\0' || n == 0 || strspn(digits, "0123456789+-.eE") != n)
        return NAN;
    value = strtod(digits, &end);
    return *end == '\0' && isfinite(value) ? value : NAN;
}
