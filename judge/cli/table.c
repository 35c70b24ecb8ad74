/* Collects the cells of a table, and prints them when the width of each column is
 * known. */
#include "cli/table.h"

#include "base/buf.h"
#include "base/report.h"
#include "base/utf8.h"
#include "cli/text.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define GAP 2        /* columns of the terminal between two columns of the table */
#define TEXT_LEAST 4 /* what any column of text may be cut to, if nothing else helps */

struct row {
    enum style style;
    int filled;
    char **cells;
};

struct table {
    const struct column *columns;
    int count;
    int *least, *order; /* for each column; 0: it may not be cut, or not be left out */
    struct row *rows;
    int row_count;
};

struct table *
table_new(const struct column *columns, int count)
{
    struct table *t = xcalloc(1, sizeof *t);

    t->columns = columns;
    t->count = count;
    t->least = xcalloc((size_t)count, sizeof *t->least);
    t->order = xcalloc((size_t)count, sizeof *t->order);
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
    free(t->least);
    free(t->order);
    free(t);
}

void
table_may_cut(struct table *t, int column, int least)
{
    t->least[column] = least;
}

void
table_may_leave(struct table *t, int column, int order)
{
    t->order[column] = order;
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
    text = xvasprintf(format, ap);
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

/* --- fitting into a terminal -------------------------------------------- */

static int
line_width(const int *widths, int count)
{
    int width = -GAP;

    for (int j = 0; j < count; j++)
        width += widths[j] > 0 ? GAP + widths[j] : 0;
    return width;
}

/* Cuts columns down to their least widths, the widest first, until the line has this
 * width. Returns whether it has. A least width of 0 stands for a column that is not
 * cut. */
static bool
cut_columns(int *widths, const int *least, int count, int width)
{
    while (line_width(widths, count) > width) {
        int widest = -1;

        for (int j = 0; j < count; j++)
            if (least[j] > 0 && widths[j] > least[j] &&
                (widest < 0 || widths[j] > widths[widest]))
                widest = j;
        if (widest < 0)
            return false;
        widths[widest]--;
    }
    return true;
}

/* Leaves out the column that may go first. False where none may. */
static bool
leave_column(const struct table *t, int *widths)
{
    int first = -1;

    for (int j = 0; j < t->count; j++)
        if (widths[j] > 0 && t->order[j] > 0 &&
            (first < 0 || t->order[j] > t->order[first]))
            first = j;
    if (first >= 0)
        widths[first] = 0;
    return first >= 0;
}

/* Makes the columns fit into a line of this width, as far as that can be. */
static void
fit_columns(const struct table *t, int *widths, int width)
{
    const size_t bytes = (size_t)t->count * sizeof *widths;
    int *cut = xcalloc((size_t)t->count, sizeof *cut);
    int *least = xcalloc((size_t)t->count, sizeof *least);
    bool fits;

    do {
        memcpy(cut, widths, bytes);
        fits = cut_columns(cut, t->least, t->count, width);
    } while (!fits && leave_column(t, widths));
    for (int j = 0; j < t->count; j++)
        least[j] = t->columns[j].right ? 0 : TEXT_LEAST;
    if (!fits)
        cut_columns(cut, least, t->count, width);
    memcpy(widths, cut, bytes);
    free(cut);
    free(least);
}

/* --- printing ----------------------------------------------------------- */

static void
put_cell(struct buf *line, const char *text, int width, bool right, bool utf8)
{
    struct buf cell = {0};
    int pad;

    text_cut(&cell, text, width, utf8);
    pad = width - text_width(buf_str(&cell));
    buf_printf(line, "%*s", line->len > 0 ? GAP : 0, "");
    if (right)
        buf_printf(line, "%*s%s", pad, "", buf_str(&cell));
    else
        buf_printf(line, "%s%*s", buf_str(&cell), pad, "");
    buf_free(&cell);
}

static void
put_line(const struct table *t, const int *widths, const struct row *row,
         const struct terminal *out)
{
    struct buf line = {0};
    int len;

    for (int j = 0; j < t->count; j++)
        if (widths[j] > 0)
            put_cell(&line, row != NULL ? table_cell_at(row, j) : t->columns[j].title,
                     widths[j], t->columns[j].right, out->utf8);
    while (line.len > 0 && line.data[line.len - 1] == ' ')
        line.data[--line.len] = '\0';
    len = (int)(out->cut ? text_fitting(buf_str(&line), out->width) : line.len);
    terminal_print(out, row != NULL ? row->style : STYLE_DIM, "%.*s", len,
                   buf_str(&line));
    terminal_print(out, STYLE_PLAIN, "\n");
    buf_free(&line);
}

void
table_print(const struct table *t, const struct terminal *out)
{
    int *widths = xcalloc((size_t)t->count, sizeof *widths);

    for (int j = 0; j < t->count; j++)
        widths[j] = column_width(t, j);
    if (out->cut)
        fit_columns(t, widths, out->width);
    put_line(t, widths, NULL, out);
    for (int i = 0; i < t->row_count; i++)
        put_line(t, widths, &t->rows[i], out);
    free(widths);
}
