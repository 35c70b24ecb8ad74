/* The page of figures: its plots are SVG within it, and it asks for nothing. Ids, tags
 * and names come from strangers, and go through html() alone. */
#include "cli/figures.h"

#include "base/html.h"
#include "cli/answer.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define WIDTH 640.0
#define HEIGHT 240.0
#define LEFT 48.0
#define BOTTOM 28.0
#define BAR_PX 18.0
#define BARS_MAX 60
#define CURVE_POINTS 161
#define CURVE_P_MAX 4.0

/* No address is in the page, and this keeps a browser from following one that would be.
 */
static void
page_head(struct html *h, const char *title)
{
    html(
        h,
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
        "style-src 'unsafe-inline'\">\n"
        "<meta name=\"viewport\" content=\"width=device-width\">\n<title>%s</title>\n"
        "<style>body{font:15px/1.5 sans-serif;max-width:60rem;margin:2rem auto;padding:0 "
        "1rem}"
        "table{border-collapse:collapse}td,th{padding:.1rem .6rem;text-align:right;"
        "border-bottom:1px solid #ddd}td.t,th.t{text-align:left}"
        "svg text{font:12px sans-serif}svg{max-width:100%%;height:auto}"
        ".wide{overflow-x:auto}</style></head><body>\n<h1>%s</h1>\n",
        title, title);
}

static void
page_summary(struct html *h, const struct figures *f)
{
    html(h, "<p>%zu lines were judged", f->count);
    if (f->cached > 0)
        html(h, ", %lld of them by another line's result", (long long)f->cached);
    html(h,
         "; %lld could not be read, and %lld failed by the judge's fault or were "
         "cancelled.",
         (long long)f->errors, (long long)f->failures);
    if (f->disagreements > 0)
        html(h, " On %lld emu and the GPU say another thing.",
             (long long)f->disagreements);
    if (f->board[0] != '\0')
        html(h, " Times are of the board %s.", f->board);
    if (f->baseline[0] != '\0')
        html(h, " Ratios are to the baseline %s: 2 is twice as fast.", f->baseline);
    html(h, "</p>\n");
}

/* --- plots ---------------------------------------------------------------- */

static void
plot_begin(struct html *h, const char *heading, const char *about, double height)
{
    html(h,
         "<h2>%s</h2>\n<p>%s</p>\n<svg viewBox=\"0 0 %.0f %.0f\" role=\"img\" "
         "aria-label=\"%s\">\n",
         heading, about, WIDTH, height, heading);
}

static void
plot_axes(struct html *h)
{
    for (int i = 0; i <= 4; i++) {
        const double y = (HEIGHT - BOTTOM) * (1 - i / 4.0) + 8;

        html(h,
             "<line x1=\"%.1f\" x2=\"%.0f\" y1=\"%.1f\" y2=\"%.1f\" stroke=\"#ddd\"/>"
             "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\">%.2f</text>\n",
             LEFT, WIDTH, y, y, LEFT - 6, y + 4, i / 4.0);
    }
}

static double
plot_y(double share)
{
    return (HEIGHT - BOTTOM) * (1 - share) + 8;
}

/* pass@k of all lines. */
static void
plot_pass(struct html *h, const cJSON *all)
{
    const char *const *keys = figures_keys();
    struct html line = {0};
    int n = 0;

    plot_begin(h, "pass@k",
               "The chance that one of k answers passes, over the problems "
               "with k lines.",
               HEIGHT + 8);
    plot_axes(h);
    for (int i = 0; i < FIGURES_K_COUNT; i++) {
        const double share = answer_number(all, keys[6 + i]);
        const double x = LEFT + 30 + (WIDTH - LEFT - 60) * i / (FIGURES_K_COUNT - 1);

        if (!isfinite(share))
            continue;
        html(&line, "%.1f,%.1f ", x, plot_y(share));
        html(h, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"4\" fill=\"#2a6\"/>", x,
             plot_y(share));
        html(h, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">k=%lld</text>\n", x,
             HEIGHT, (long long)FIGURES_K[i]);
        n++;
    }
    if (n > 1) {
        html(h, "<polyline fill=\"none\" stroke=\"#2a6\" stroke-width=\"2\" points=\"");
        html_join(h, &line);
        html(h, "\"/>\n");
    }
    html(h, "</svg>\n");
    buf_free(&line.out);
}

static void
plot_fast_line(struct html *h, const struct figures *f, int surely, const char *colour)
{
    html(h, "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"2\" points=\"", colour);
    for (int i = 0; i < CURVE_POINTS; i++) {
        const double p = CURVE_P_MAX * i / (CURVE_POINTS - 1);
        const double x = LEFT + (WIDTH - LEFT - 10) * i / (CURVE_POINTS - 1);

        html(h, "%.1f,%.1f ", x, plot_y(figures_fast(f, p, surely)));
    }
    html(h, "\"/>\n");
}

/* fast_p of all lines, as it falls with p. */
static void
plot_fast(struct html *h, const struct figures *f)
{
    if (f->baseline[0] == '\0')
        return;
    plot_begin(h, "fast_p",
               "The share of lines that pass and are more than p times as fast as the "
               "baseline; dark: by the end of their interval as well.",
               HEIGHT + 8);
    plot_axes(h);
    for (int p = 0; p <= (int)CURVE_P_MAX; p++)
        html(h, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">p=%d</text>\n",
             LEFT + (WIDTH - LEFT - 10) * p / CURVE_P_MAX, HEIGHT, p);
    plot_fast_line(h, f, 0, "#9c9");
    plot_fast_line(h, f, 1, "#163");
    html(h, "</svg>\n");
}

static void
plot_bar(struct html *h, int at, const char *name, const char *beside, double share,
         long long count)
{
    const double y = at * BAR_PX, width = (WIDTH - 340) * share;

    html(h,
         "<text x=\"210\" y=\"%.1f\" text-anchor=\"end\">%s%s%s</text>"
         "<rect x=\"220\" y=\"%.1f\" width=\"%.1f\" height=\"12\" fill=\"#48a\"/>"
         "<text x=\"%.1f\" y=\"%.1f\">%lld</text>\n",
         y + 13, name, beside[0] != '\0' ? ", " : "", beside, y + 3, width, 226 + width,
         y + 13, count);
}

static void
plot_verdicts(struct html *h, const struct figures *f)
{
    cJSON *rows = figures_verdicts(f);
    const cJSON *row;
    int at = 0;

    plot_begin(h, "Verdicts",
               "How many lines there are of each verdict, and the stage at "
               "which it was given.",
               BAR_PX * cJSON_GetArraySize(rows) + 8);
    cJSON_ArrayForEach(row, rows)
    {
        const double lines = answer_number(row, "lines");

        plot_bar(h, at++, answer_string(row, "verdict"), answer_string(row, "stage"),
                 lines / (double)f->count, (long long)lines);
    }
    html(h, "</svg>\n");
    cJSON_Delete(rows);
}

static void
plot_problems(struct html *h, const cJSON *rows)
{
    const cJSON *row;
    int count = 0, at = 0;

    cJSON_ArrayForEach(row, rows)
    {
        count += strcmp(answer_string(row, "group"), "problem") == 0;
    }
    count = count < BARS_MAX ? count : BARS_MAX;
    plot_begin(h, "Problems",
               "The share of the lines that pass, and how many do, of the "
               "first 60 problems.",
               BAR_PX * count + 8);
    cJSON_ArrayForEach(row, rows)
    {
        if (strcmp(answer_string(row, "group"), "problem") == 0 && at < count)
            plot_bar(h, at++, answer_string(row, "name"), "", answer_number(row, "share"),
                     (long long)answer_number(row, "passed"));
    }
    html(h, "</svg>\n");
}

/* --- the table ------------------------------------------------------------ */

static void
page_cell(struct html *h, const cJSON *row, const char *key)
{
    const cJSON *value = cJSON_GetObjectItemCaseSensitive(row, key);
    char number[32];

    if (cJSON_IsString(value)) {
        html(h, "<td class=\"t\">%s</td>", value->valuestring);
    } else if (cJSON_IsNumber(value)) {
        snprintf(number, sizeof number, "%.6g", value->valuedouble);
        html(h, "<td>%s</td>", number);
    } else {
        html(h, "<td></td>");
    }
}

static void
page_table(struct html *h, const cJSON *rows)
{
    const char *const *keys = figures_keys();
    const cJSON *row;

    html(h, "<h2>All figures</h2>\n<div class=\"wide\"><table><tr>");
    for (int i = 0; keys[i] != NULL; i++)
        html(h, "<th>%s</th>", keys[i]);
    html(h, "</tr>\n");
    cJSON_ArrayForEach(row, rows)
    {
        html(h, "<tr>");
        for (int i = 0; keys[i] != NULL; i++)
            page_cell(h, row, keys[i]);
        html(h, "</tr>\n");
    }
    html(h, "</table></div>\n</body></html>\n");
}

char *
figures_html(const struct figures *f, const char *title)
{
    struct html h = {0};
    cJSON *rows = figures_rows(f);

    page_head(&h, title);
    page_summary(&h, f);
    if (f->count > 0) {
        plot_pass(&h, rows->child);
        plot_fast(&h, f);
        plot_verdicts(&h, f);
        plot_problems(&h, rows);
    }
    page_table(&h, rows);
    cJSON_Delete(rows);
    return buf_take(&h.out);
}
