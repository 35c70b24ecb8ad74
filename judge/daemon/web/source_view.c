#include "daemon/web/source_view.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Of a longer source a page shows the beginning. */
#define LINES_MAX 2500
#define BYTES_MAX ((size_t)128 << 10)
#define BAR_WIDTH 48

struct line {
    double share;            /* of the time of all kernels; 0: none that is told */
    const cJSON *cost;       /* the costliest entry of the line */
    const cJSON *diagnostic; /* the first; others are found again by their line */
};

struct source {
    struct html *h;
    const cJSON *diagnostics;
    const char *filename;
    struct line *line; /* by number, from 1 on */
    int count;
};

/* Counts the lines that are shown. They have *len bytes, of which the last line may be
 * cut off. */
static int
source_count_lines(const char *text, size_t *len)
{
    const char *at = text;
    int count = 0;

    while (*at != '\0' && count < LINES_MAX && (size_t)(at - text) < BYTES_MAX) {
        const char *end = strchr(at, '\n');

        at = end != NULL ? end + 1 : at + strlen(at);
        count++;
    }
    *len = (size_t)(at - text) < BYTES_MAX ? (size_t)(at - text) : BYTES_MAX;
    return count;
}

/* The line that an object names in this file, or 0. */
static int
source_line_of(const struct source *s, const cJSON *o)
{
    const double line = value_number(o, "line");

    return value_is_text(o, "file", s->filename) && line >= 1 && line <= s->count
               ? (int)line
               : 0;
}

static void
source_take_costs(struct source *s, const cJSON *counters)
{
    const cJSON *kernel, *cost;
    double all = 0;

    cJSON_ArrayForEach(kernel, value_at(counters, "kernels"))
    {
        const double ns = value_number(kernel, "ns");

        all += ns > 0 ? ns : 0;
    }
    cJSON_ArrayForEach(kernel, value_at(counters, "kernels"))
        cJSON_ArrayForEach(cost, value_at(kernel, "lines"))
    {
        const int line = source_line_of(s, cost);
        const double share = value_number(cost, "ns") / all;

        if (line == 0 || !(share > 0))
            continue;
        s->line[line].share += share;
        if (s->line[line].cost == NULL ||
            value_number(cost, "ns") > value_number(s->line[line].cost, "ns"))
            s->line[line].cost = cost;
    }
}

static void
source_diagnostic(struct html *h, const cJSON *d)
{
    const char *severity = value_text(d, "severity");

    html(h, "<span class=\"found %s\"><b>%s</b>", severity, severity);
    if (value_whole(d, "column") > 0)
        html(h, " in column %lld", value_whole(d, "column"));
    html(h, ": %s", value_text(d, "text"));
    if (value_whole(d, "other_line") > 0)
        html(h, " <a href=\"#L%lld\">(line %lld)</a>", value_whole(d, "other_line"),
             value_whole(d, "other_line"));
    html(h, "</span>");
}

static void
source_costs(struct source *s, const struct line *l)
{
    const double share = l->share < 1 ? l->share : 1;

    if (!(share > 0)) {
        html(s->h, "<td></td>");
        return;
    }
    html(s->h,
         "<td class=\"cost\" title=\"%s\"><svg width=\"%d\" height=\"10\" "
         "aria-hidden=\"true\"><rect width=\"%.1f\" height=\"10\"/></svg> ",
         value_text(l->cost, "why"), BAR_WIDTH, fmax(share * BAR_WIDTH, 1));
    html_share(s->h, share);
    html(s->h, "</td>");
}

static void
source_line(struct source *s, int number, const char *text, size_t len, bool costs)
{
    const struct line *l = &s->line[number];
    const cJSON *d;

    html(s->h, "<tr id=\"L%d\"><td class=\"no\">%d</td>", number, number);
    if (costs)
        source_costs(s, l);
    html(s->h, "<td class=\"code\"><code>");
    html_text(s->h, text, len);
    html(s->h, "</code>");
    for (d = l->diagnostic; d != NULL; d = d->next)
        if (source_line_of(s, d) == number)
            source_diagnostic(s->h, d);
    html(s->h, "</td></tr>");
}

static void
source_lines(struct source *s, const char *source, size_t shown, bool costs)
{
    struct html *h = s->h;
    const char *at = source;

    html(h, "<div class=\"scroll\"><table class=\"source\"><thead class=\"away\"><tr>"
            "<th scope=\"col\">Line</th>");
    if (costs)
        html(h, "<th scope=\"col\">Share</th>");
    html(h, "<th scope=\"col\">Source</th></tr></thead><tbody>");
    for (int number = 1; number <= s->count; number++) {
        const size_t left = (size_t)(source + shown - at), whole = strcspn(at, "\n");
        const size_t len = whole < left ? whole : left;

        source_line(s, number, at, len, costs);
        at += len;
        at += *at == '\n';
    }
    html(h, "</tbody></table></div>");
    if (source[shown] != '\0')
        html(h, "<p class=\"quiet\">The rest of it, %zu bytes, is not shown here.</p>",
             strlen(source + shown));
}

void
source_view(struct html *h, const cJSON *sub, const char *filename, const char *source)
{
    struct source s = {
        .h = h, .diagnostics = value_at(sub, "diagnostics"), .filename = filename};
    const cJSON *d;
    size_t shown = 0;
    bool costs = false;

    s.count = source_count_lines(source, &shown);
    s.line = xcalloc((size_t)s.count + 1, sizeof *s.line);
    source_take_costs(&s, value_at(sub, "counters"));
    for (int i = 1; i <= s.count; i++)
        costs = costs || s.line[i].share > 0;
    cJSON_ArrayForEach(d, s.diagnostics)
    {
        const int line = source_line_of(&s, d);

        if (line == 0) {
            html(h, "<p>");
            source_diagnostic(h, d);
            html(h, "</p>");
        } else if (s.line[line].diagnostic == NULL) {
            s.line[line].diagnostic = d;
        }
    }
    if (costs)
        html(h,
             "<p class=\"quiet\">The bars are each line's share of the modelled time of "
             "the kernels.</p>");
    source_lines(&s, source, shown, costs);
    free(s.line);
}
