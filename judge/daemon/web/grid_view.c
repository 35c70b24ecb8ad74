#include "daemon/web/grid_view.h"

#include "record/failure_grid.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Of a value in a cell: usually, and where fewer would show two values as the same. */
#define DIGITS 6
#define DIGITS_EXACT 17

/* In units of the drawing, which a browser scales. */
#define WIDTH 360.0
#define LEFT 52.0 /* of the plot; the numbers of rows stand before it */
#define RIGHT 352.0
#define TOP 18.0 /* of the plot; the numbers of columns stand above it */
#define SIDE_LEAST 24.0
#define RING 6.0 /* its radius */
#define LEVELS 4 /* of colours */
#define KEY 12   /* the side of a colour in the legend */

static void
grid_text(const cJSON *value, int digits, char *text, size_t size)
{
    if (cJSON_IsNumber(value))
        snprintf(text, size, "%.*g", digits, value->valuedouble);
    else
        snprintf(text, size, "%s", cJSON_IsString(value) ? value->valuestring : "");
}

void
grid_value(struct html *h, const cJSON *value, int digits)
{
    char text[48];

    grid_text(value, digits, text, sizeof text);
    html(h, "%s", text);
}

/* --- the window --------------------------------------------------------- */

/* Writes the difference of two numbers; of others, such as NaN, nothing. */
static void
window_difference(struct html *h, const cJSON *got, const cJSON *want)
{
    char text[32];

    if (!cJSON_IsNumber(got) || !cJSON_IsNumber(want))
        return;
    snprintf(text, sizeof text, "%+.3g", got->valuedouble - want->valuedouble);
    html(h, "<small>%s</small>", text);
}

/* Writes what was got above what is expected. */
static void
window_values(struct html *h, const cJSON *got, const cJSON *want, bool wrong)
{
    char above[48], below[48];
    int digits = DIGITS;

    grid_text(got, DIGITS, above, sizeof above);
    grid_text(want, DIGITS, below, sizeof below);
    if (wrong && strcmp(above, below) == 0)
        digits = DIGITS_EXACT;
    html(h, "<b>");
    if (wrong)
        html(h, "<span class=\"away\">wrong: </span>"
                "<span aria-hidden=\"true\">\u2260\u00a0</span>");
    grid_value(h, got, digits);
    html(h, "</b><span class=\"away\">, expected </span><span class=\"want\">");
    grid_value(h, want, digits);
    html(h, "</span>");
    if (wrong) {
        html(h, "<span class=\"away\">, difference </span>");
        window_difference(h, got, want);
    }
}

static void
window_cell(struct html *h, const cJSON *failure, const struct failure_window *w, int row,
            int column)
{
    const bool first = row == w->row && column == w->column;
    const bool wrong = w->judged ? w->wrong[row][column] : first;

    html(h, "<td class=\"number%s%s\">", wrong ? " bad" : "", first ? " first" : "");
    if (w->got != NULL)
        window_values(h, failure_window_value(w->got, row, column),
                      failure_window_value(w->want, row, column), wrong);
    else if (first)
        window_values(h, value_at(failure, "got"), value_at(failure, "want"), true);
    else if (wrong)
        html(h, "<b><span aria-hidden=\"true\">\u2260</span>"
                "<span class=\"away\">wrong</span></b>");
    else
        html(h, "<span aria-hidden=\"true\" class=\"quiet\">\u00b7</span>"
                "<span class=\"away\">right</span>");
    html(h, "</td>");
}

/* The part of an index that all elements of the window share, such as "C[2]". */
static void
window_name(struct html *h, const cJSON *failure, const struct failure_window *w)
{
    html(h, "%s", value_text(failure, "output"));
    for (int k = 0; k < w->rank - 2; k++)
        html(h, "[%lld]", (long long)w->from[k]);
}

/* Says how the table is read. It is no caption, which would be as wide as the table. */
static void
window_words(struct html *h, const struct failure_window *w)
{
    html(h, "<p class=\"quiet\" id=\"around-words\">");
    if (w->got == NULL)
        html(h, "Which elements are wrong (\u2260). The other values of a hidden test "
                "are not told.");
    else if (w->judged)
        html(h, "Got, above expected. Of a wrong element (\u2260) the difference "
                "stands below.");
    else
        html(h, "Got, above expected. They are not judged one by one: what is expected "
                "is one answer that is right.");
    html(h, "</p>");
}

static void
window_heads(struct html *h, const cJSON *failure, const struct failure_window *w)
{
    html(h, "<thead><tr><th scope=\"col\"><code>");
    window_name(h, failure, w);
    html(h, "</code></th>");
    for (int x = 0; x < w->columns; x++)
        html(h, "<th scope=\"col\" class=\"number\"><code>[%lld]</code></th>",
             (long long)w->from[w->rank - 1] + x);
    html(h, "</tr></thead>");
}

static void
window_table(struct html *h, const cJSON *failure, const struct failure_window *w)
{
    html(h, "<div class=\"scroll\" tabindex=\"0\" role=\"region\" "
            "aria-label=\"The elements around the first wrong one\">"
            "<table class=\"around\" aria-describedby=\"around-words\">");
    window_heads(h, failure, w);
    html(h, "<tbody>");
    for (int y = 0; y < w->rows; y++) {
        html(h, "<tr><th scope=\"row\" class=\"number\"><code>");
        if (w->rank > 1)
            html(h, "[%lld]", (long long)w->from[w->rank - 2] + y);
        else
            window_name(h, failure, w);
        html(h, "</code></th>");
        for (int x = 0; x < w->columns; x++)
            window_cell(h, failure, w, y, x);
        html(h, "</tr>");
    }
    html(h, "</tbody></table></div>");
}

/* --- the heat map ------------------------------------------------------- */

struct plot {
    const struct failure_map *map;
    double right, bottom; /* the plot begins at LEFT and TOP */
};

static double
plot_x(const struct plot *p, double column)
{
    return LEFT + (p->right - LEFT) * column / (double)p->map->columns;
}

static double
plot_y(const struct plot *p, double row)
{
    return TOP + (p->bottom - TOP) * row / (double)p->map->rows;
}

/* Gives the plot the shape of the matrix, as far as both sides can be seen. */
static struct plot
plot_make(const struct failure_map *m)
{
    const double room = RIGHT - LEFT, shape = (double)m->rows / (double)m->columns;
    struct plot p = {.map = m, .right = RIGHT, .bottom = TOP + room};

    if (shape > 1)
        p.right = LEFT + fmax(room / shape, SIDE_LEAST);
    else
        p.bottom = TOP + fmax(room * shape, SIDE_LEAST);
    return p;
}

/* How strong a share's colour is: 0 to LEVELS, which is that of a cell that is all
 * wrong. */
static int
map_level(int share)
{
    return share == 0 ? 0 : share < 34 ? 1 : share < 67 ? 2 : share < 100 ? 3 : LEVELS;
}

/* Draws one row of cells; those beside each other that have one colour are one. */
static void
map_row(struct html *h, const struct plot *p, int row)
{
    const struct failure_map *m = p->map;
    const double y = plot_y(p, (double)failure_map_edge(m->rows, m->cell_rows, row));
    const double below =
        plot_y(p, (double)failure_map_edge(m->rows, m->cell_rows, row + 1));

    for (int x = 0, end; x < m->cell_columns; x = end) {
        const int level = map_level(m->share[row][x]);
        const double left =
            plot_x(p, (double)failure_map_edge(m->columns, m->cell_columns, x));

        for (end = x + 1; end < m->cell_columns; end++)
            if (map_level(m->share[row][end]) != level)
                break;
        if (level == 0)
            continue;
        html(h,
             "<rect class=\"h%d\" x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" "
             "height=\"%.2f\"/>",
             level, left, y,
             plot_x(p, (double)failure_map_edge(m->columns, m->cell_columns, end)) - left,
             below - y);
    }
}

/* Writes the first and the last index along both sides. */
static void
map_indices(struct html *h, const struct plot *p)
{
    const struct failure_map *m = p->map;

    html(h, "<text x=\"%.0f\" y=\"%.0f\">0</text>", LEFT, TOP - 6);
    if (m->columns > 1)
        html(h, "<text x=\"%.1f\" y=\"%.0f\" text-anchor=\"%s\">%lld</text>",
             fmax(p->right, LEFT + SIDE_LEAST), TOP - 6,
             p->right - LEFT < 2 * SIDE_LEAST ? "start" : "end",
             (long long)m->columns - 1);
    if (m->rows == 1)
        return;
    html(h, "<text x=\"%.0f\" y=\"%.0f\" text-anchor=\"end\">0</text>", LEFT - 6,
         TOP + 9);
    html(h, "<text x=\"%.0f\" y=\"%.1f\" text-anchor=\"end\">%lld</text>", LEFT - 6,
         p->bottom, (long long)m->rows - 1);
}

/* Draws a ring around the first wrong element. */
static void
map_ring(struct html *h, const struct plot *p, const cJSON *index)
{
    const int rank = cJSON_GetArraySize(index);
    const cJSON *row = cJSON_GetArrayItem(index, rank - 2);
    const cJSON *column = cJSON_GetArrayItem(index, rank - 1);

    if (cJSON_IsNumber(column))
        html(h, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%.0f\"/>",
             plot_x(p, column->valuedouble + 0.5),
             plot_y(p, cJSON_IsNumber(row) && rank > 1 ? row->valuedouble + 0.5 : 0.5),
             RING);
}

static void
map_draw(struct html *h, const cJSON *failure, const struct failure_map *m)
{
    const struct plot p = plot_make(m);

    html(h,
         "<svg viewBox=\"0 0 %.0f %.0f\" role=\"img\" "
         "aria-labelledby=\"heat-name heat-words\"><title id=\"heat-name\">"
         "Where wrong elements lie</title><desc id=\"heat-words\">The stronger a cell's "
         "colour, the more of it is wrong. The words below say where that is."
         "</desc><rect class=\"h0\" x=\"%.0f\" y=\"%.0f\" width=\"%.1f\" "
         "height=\"%.1f\"/>",
         WIDTH, p.bottom + 8, LEFT, TOP, p.right - LEFT, p.bottom - TOP);
    for (int row = 0; row < m->cell_rows; row++)
        map_row(h, &p, row);
    html(h,
         "<rect class=\"frame\" x=\"%.0f\" y=\"%.0f\" width=\"%.1f\" height=\"%.1f\"/>",
         LEFT, TOP, p.right - LEFT, p.bottom - TOP);
    map_indices(h, &p);
    map_ring(h, &p, value_at(failure, "index"));
    html(h, "</svg>");
}

/* Shows the colours from the weakest on. Where colours are dark or light depends on the
 * browser, so that words speak of weak and strong ones. */
static void
map_legend(struct html *h, const struct failure_map *m)
{
    const int step = m->three_levels ? 2 : 1, width = LEVELS / step * KEY;

    html(h,
         " <svg class=\"key\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" "
         "aria-hidden=\"true\">",
         width, KEY, width, KEY);
    for (int level = step, x = 0; level <= LEVELS; level += step, x += KEY)
        html(h, "<rect class=\"h%d\" x=\"%d\" y=\"0\" width=\"%d\" height=\"%d\"/>",
             level, x, KEY, KEY);
    html(h, "</svg> <span class=\"quiet\">");
    if (m->three_levels)
        html(h, "All of a cell in the strong colour is wrong, and a part of one in the "
                "weak colour. ");
    else
        html(h, "The stronger the colour of a cell, the more of it is wrong. ");
    html(h, "The ring is around the first wrong element.</span>");
}

/* Has the window shown all of the matrix already? */
static bool
map_is_small(const struct failure_map *m)
{
    return m->rows <= WINDOW_ROWS && m->columns <= WINDOW_COLUMNS;
}

static void
map_figure(struct html *h, const cJSON *failure, const struct failure_map *m)
{
    struct buf words = {0};

    failure_map_words(&words, failure, m);
    html(h, "<figure class=\"heat\">");
    if (!map_is_small(m))
        map_draw(h, failure, m);
    html(h, "<figcaption>%s.", buf_str(&words));
    if (!map_is_small(m))
        map_legend(h, m);
    html(h, "</figcaption></figure>");
    buf_free(&words);
}

/* --- both --------------------------------------------------------------- */

void
grid_view(struct html *h, const cJSON *failure)
{
    struct failure_window window;
    struct failure_map map;
    const bool has_window = failure_window_read(failure, &window);
    const bool has_map = failure_map_read(failure, &map);

    /* Of an only element all is told already. */
    if ((!has_window || window.rows * window.columns == 1) &&
        (!has_map || map_is_small(&map)))
        return;
    html(h, "<section aria-labelledby=\"around\"><h2 id=\"around\">Around the first "
            "wrong element</h2>");
    if (has_window)
        window_words(h, &window);
    html(h, "<div class=\"beside\">");
    if (has_window)
        window_table(h, failure, &window);
    if (has_map)
        map_figure(h, failure, &map);
    html(h, "</div></section>");
}
