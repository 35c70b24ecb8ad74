/* Collects the cells of a table, and prints them when the width of each column is
 * known. */
#include "cli/table.h"

#include "base/buf.h"
#include "base/report.h"
#include "base/utf8.h"
#include "cli/text.h"

#include <assert.h>
#include <stdlib.h>

struct row {
    enum style style;
    int filled;
    char **cells;
};

struct table {
    const struct column *columns;
    int count;
    struct row *rows;
    int row_count;
};

struct table *
table_new(const struct column *columns, int count)
{
    struct table *t = xcalloc(1, sizeof *t);

    t->columns = columns;
    t->count = count;
    return t;
}

void
table_free(struct table *t)
{
    if (t == NULL)
        return;
    for (int i = 0; i < t->row_count; i++) {
        for (int j = 0; j < t->rows[i].filled; j++)
            free(t->rows[i].cells[j]);
        free(t->rows[i].cells);
    }
    free(t->rows);
    free(t);
}

void
table_row(struct table *t, enum style style)
{
    t->rows = xrealloc(t->rows, sizeof *t->rows * (size_t)(t->row_count + 1));
    t->rows[t->row_count++] = (struct row){
        .style = style,
        .cells = xcalloc((size_t)t->count, sizeof(char *)),
    };
}

void
table_cell(struct table *t, const char *format, ...)
{
    struct row *row = &t->rows[t->row_count - 1];
    struct buf clean = {0};
    va_list ap;
    char *text;

    assert(row->filled < t->count);
    va_start(ap, format);
    if (vasprintf(&text, format, ap) < 0)
        die(4, "out of memory");
    va_end(ap);
    /* The text is cleaned here, too, so that the width is that of what will be seen. */
    utf8_clean(&clean, text);
    for (size_t i = 0; i < clean.len; i++)
        if (clean.data[i] == '\n' || clean.data[i] == '\t')
            clean.data[i] = ' ';
    free(text);
    row->cells[row->filled++] = buf_take(&clean);
}

static const char *
table_cell_at(const struct row *row, int column)
{
    return column < row->filled ? row->cells[column] : "";
}

/* The width of a column, which is 0 where all its cells are empty. */
static int
column_width(const struct table *t, int column)
{
    int width = 0;

    for (int i = 0; i < t->row_count; i++) {
        int w = text_width(table_cell_at(&t->rows[i], column));

        width = w > width ? w : width;
    }
    if (width > 0 && text_width(t->columns[column].title) > width)
        width = text_width(t->columns[column].title);
    return width;
}

static void
put_cell(struct buf *line, const char *text, int width, bool right)
{
    int pad = width - text_width(text);

    buf_puts(line, line->len > 0 ? "  " : "");
    if (right)
        buf_printf(line, "%*s%s", pad, "", text);
    else
        buf_printf(line, "%s%*s", text, pad, "");
}

static void
put_line(const struct table *t, const int *widths, const struct row *row,
         const struct terminal *out)
{
    struct buf line = {0};

    for (int j = 0; j < t->count; j++)
        if (widths[j] > 0)
            put_cell(&line, row != NULL ? table_cell_at(row, j) : t->columns[j].title,
                     widths[j], t->columns[j].right);
    while (line.len > 0 && line.data[line.len - 1] == ' ')
        line.data[--line.len] = '\0';
    terminal_print(out, row != NULL ? row->style : STYLE_DIM, "%s", buf_str(&line));
    terminal_print(out, STYLE_PLAIN, "\n");
    buf_free(&line);
}

void
table_print(const struct table *t, const struct terminal *out)
{
    int *widths = xcalloc((size_t)t->count, sizeof *widths);

    for (int j = 0; j < t->count; j++)
        widths[j] = column_width(t, j);
    put_line(t, widths, NULL, out);
    for (int i = 0; i < t->row_count; i++)
        put_line(t, widths, &t->rows[i], out);
    free(widths);
}
