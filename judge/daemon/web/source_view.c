#include "daemon/web/source_view.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Of a longer source a page shows the beginning. */
#define LINES_MAX 2500
#define BYTES_MAX ((size_t)128 << 10)
#define REASONS_SHOWN 5   /* lines that are told why they cost */
#define REASON_LEAST 0.02 /* of the time */

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

int
source_count_lines(const char *text, int lines_max, size_t *len)
{
    const char *at = text;
    int count = 0;

    while (*at != '\0' && count < lines_max && (size_t)(at - text) < BYTES_MAX) {
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
    html(h, ": %s", value_text(d, "text"));
    if (value_whole(d, "other_line") > 0)
        html(h, " <a href=\"#L%lld\">(line %lld)</a>", value_whole(d, "other_line"),
             value_whole(d, "other_line"));
    html(h, "</span>");
}

void
source_bar(struct html *h, double share)
{
    html(h,
         "<svg width=\"%d\" height=\"10\" aria-hidden=\"true\">"
         "<rect width=\"%.1f\" height=\"10\"/></svg> ",
         BAR_WIDTH, fmax(share * BAR_WIDTH, 1));
}

static void
source_costs(struct source *s, const struct line *l)
{
    const double share = l->share < 1 ? l->share : 1;

    if (!(share > 0)) {
        html(s->h, "<td></td>");
        return;
    }
    html(s->h, "<td class=\"cost\" title=\"%s\">", value_text(l->cost, "why"));
    source_bar(s->h, share);
    html_share(s->h, share);
    html(s->h, "</td>");
}

/* The bytes of the text before its character number `column`, which counts from 1. */
static size_t
source_column(const char *text, size_t len, long long column)
{
    size_t at = 0;

    for (; at < len && column > 1; column--) {
        at++;
        while (at < len && ((unsigned char)text[at] & 0xc0) == 0x80)
            at++;
    }
    return at;
}

/* Writes a line's text. The word or the character is marked to which the line's first
 * diagnostic with a column points. */
static void
source_text(struct source *s, const struct line *l, int number, const char *text,
            size_t len)
{
    const cJSON *d = l->diagnostic;
    size_t at, end;

    while (d != NULL && (source_line_of(s, d) != number || value_whole(d, "column") <= 0))
        d = d->next;
    at = d != NULL ? source_column(text, len, value_whole(d, "column")) : len;
    end = at;
    while (end < len && (isalnum((unsigned char)text[end]) || text[end] == '_'))
        end++;
    if (end == at)
        end = at + source_column(text + at, len - at, 2);
    html_text(s->h, text, at);
    if (end > at) {
        html(s->h, "<span class=\"at %s\">", value_text(d, "severity"));
        html_text(s->h, text + at, end - at);
        html(s->h, "</span>");
    }
    html_text(s->h, text + end, len - end);
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
    source_text(s, l, number, text, len);
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

    html(h, "<div class=\"scroll\" tabindex=\"0\" role=\"region\" "
            "aria-label=\"Source\"><table class=\"source\"><thead class=\"away\"><tr>"
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

/* The line that costs the most of those that cost less than this one, or as much and
 * stand below it; 0: there is none. Line 0 is before all others. */
static int
source_costliest(const struct source *s, int before)
{
    const double most = before != 0 ? s->line[before].share : INFINITY;
    int found = 0;

    for (int i = 1; i <= s->count; i++)
        if ((s->line[i].share < most || (s->line[i].share == most && i > before)) &&
            s->line[i].share > s->line[found].share)
            found = i;
    return found;
}

/* Says why the costliest lines cost so much, the costliest first. */
static void
source_reasons(const struct source *s)
{
    int line = 0;

    html(s->h,
         "<p class=\"quiet\">The bars are each line's share of the modelled time of "
         "the kernels.</p><ul class=\"reasons\">");
    for (int i = 0; i < REASONS_SHOWN; i++) {
        line = source_costliest(s, line);
        if (line == 0 || s->line[line].share < REASON_LEAST)
            break;
        html(s->h, "<li><a href=\"#L%d\">Line %d</a> <b>", line, line);
        html_share(s->h, fmin(s->line[line].share, 1));
        html(s->h, "</b> %s</li>", value_text(s->line[line].cost, "why"));
    }
    html(s->h, "</ul>");
}

void
source_view(struct html *h, const cJSON *sub, const char *filename, const char *source)
{
    struct source s = {
        .h = h, .diagnostics = value_at(sub, "diagnostics"), .filename = filename};
    const cJSON *d;
    size_t shown = 0;
    bool costs = false;

    s.count = source_count_lines(source, LINES_MAX, &shown);
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
        source_reasons(&s);
    source_lines(&s, source, shown, costs);
    free(s.line);
}
