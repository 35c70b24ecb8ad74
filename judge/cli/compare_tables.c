#include "cli/compare_tables.h"

#include "base/buf.h"
#include "cli/answer.h"
#include "cli/format.h"
#include "cli/kernel_costs.h"
#include "cli/result.h"
#include "cli/table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A line is shown where it has at least this share of a submission's costs. */
#define LINE_SHARE_LEAST 0.01

/* --- figures ------------------------------------------------------------ */

enum { NAME, BEFORE, AFTER, CHANGE, COLUMNS };

enum figure_kind { FIGURE_TIME, FIGURE_RATE, FIGURE_SHARE, FIGURE_COUNT };

static const struct figure {
    const char *key, *title;
    enum figure_kind kind;
} FIGURES[] = {
    {"time_ns", "time", FIGURE_TIME},   {"low_ns", "  from", FIGURE_TIME},
    {"high_ns", "  to", FIGURE_TIME},   {"bandwidth_gbs", "GB/s", FIGURE_RATE},
    {"gflops", "GFLOP/s", FIGURE_RATE}, {"limit_share", "of limit", FIGURE_SHARE},
    {"rank", "rank", FIGURE_COUNT},
};

static const char *
figure_text(struct text32 *text, enum figure_kind kind, double value, bool utf8)
{
    if (isnan(value))
        return "";
    switch (kind) {
    case FIGURE_TIME:
        return format_time(text, value, utf8);
    case FIGURE_SHARE:
        return format_percent(text, 100 * value);
    case FIGURE_COUNT:
        snprintf(text->s, sizeof text->s, "%.0f", value);
        return text->s;
    case FIGURE_RATE:
    default:
        return format_rate(text, value);
    }
}

/* By which factor a figure has changed: "0.50x"; "" where it has not. */
static const char *
figure_change(struct text32 *text, double before, double after)
{
    struct text32 ratio;

    if (before == after || isnan(before) || isnan(after))
        return "";
    if (before == 0)
        return "new";
    snprintf(text->s, sizeof text->s, "%sx", format_rate(&ratio, after / before));
    return text->s;
}

static void
add_figure(struct table *table, const char *title, enum figure_kind kind, double before,
           double after, bool utf8)
{
    struct text32 text;

    table_row(table, STYLE_PLAIN);
    table_cell(table, "%s", title);
    table_cell(table, "%s", figure_text(&text, kind, before, utf8));
    table_cell(table, "%s", figure_text(&text, kind, after, utf8));
    table_cell(table, "%s",
               kind == FIGURE_COUNT && strcmp(title, "rank") == 0
                   ? ""
                   : figure_change(&text, before, after));
}

/* A counter of a submission, for one call; NaN where nothing was counted. */
static double
counter_of(const cJSON *submission, const char *key)
{
    const cJSON *costs = kernel_costs_of(submission);
    const long calls = answer_count(costs, "calls");

    return answer_number(costs, key) / (double)(calls > 0 ? calls : 1);
}

/* Adds each counter that is above 0 in one of the two. */
static void
add_counters(struct table *table, const struct compared *c, bool utf8)
{
    const cJSON *of = kernel_costs_of(c->after), *item;

    if (of == NULL)
        of = kernel_costs_of(c->before);
    cJSON_ArrayForEach(item, of)
    {
        const double before = counter_of(c->before, item->string),
                     after = counter_of(c->after, item->string);
        char *title;

        if (!cJSON_IsNumber(item) || strcmp(item->string, "calls") == 0 ||
            (!(before > 0) && !(after > 0)))
            continue;
        title = xstrdup(item->string);
        for (char *at = title; *at != '\0'; at++)
            *at = *at == '_' ? ' ' : *at;
        add_figure(table, title,
                   strcmp(item->string, "host_ns") == 0 ? FIGURE_TIME : FIGURE_COUNT,
                   before, after, utf8);
        free(title);
    }
}

static void
add_verdicts(struct table *table, const struct compared *c)
{
    table_row(table, STYLE_PLAIN);
    table_cell(table, "verdict");
    table_cell(table, "%s", verdict_shown(answer_string(c->before, "verdict")));
    table_cell(table, "%s", verdict_shown(answer_string(c->after, "verdict")));
}

void
compare_print_figures(const struct terminal *t, const struct compared *c)
{
    char *before = xasprintf("%ld", answer_count(c->before, "id"));
    char *after = xasprintf("%ld", answer_count(c->after, "id"));
    const struct column columns[COLUMNS] = {[NAME] = {"", false},
                                            [BEFORE] = {before, true},
                                            [AFTER] = {after, true},
                                            [CHANGE] = {"change", true}};
    struct table *table = table_new(columns, COLUMNS);

    add_verdicts(table, c);
    for (size_t i = 0; i < sizeof FIGURES / sizeof *FIGURES; i++) {
        const double old = answer_number(c->before, FIGURES[i].key),
                     new = answer_number(c->after, FIGURES[i].key);

        if (!isnan(old) || !isnan(new))
            add_figure(table, FIGURES[i].title, FIGURES[i].kind, old, new, t->utf8);
    }
    add_counters(table, c, t->utf8);
    table_print(table, t);
    table_free(table);
    free(before);
    free(after);
}

/* --- lines -------------------------------------------------------------- */

/* What each line of a source costs in one call. */
struct line_costs {
    double *ns; /* by the line's number */
    size_t count;
    double total_ns;
};

static void
line_costs_add(struct line_costs *costs, const cJSON *kernel, const char *filename,
               double calls)
{
    const cJSON *line;

    cJSON_ArrayForEach(line, answer_array(kernel, "lines"))
    {
        const size_t number = (size_t)answer_count(line, "line");
        const double ns = answer_number(line, "ns") / calls;

        if (number == 0 || number > costs->count || isnan(ns) ||
            strcmp(answer_string(line, "file"), filename) != 0)
            continue;
        costs->ns[number] += ns;
        costs->total_ns += ns;
    }
}

/* The costs of a submission's lines, of which there are at most `count`. The caller frees
 * its `ns`. */
static struct line_costs
line_costs_of(const cJSON *submission, size_t count)
{
    struct line_costs costs = {xcalloc(count + 1, sizeof(double)), count, 0};
    const cJSON *of = kernel_costs_of(submission), *kernel;
    const long calls = answer_count(of, "calls");

    cJSON_ArrayForEach(kernel, answer_array(of, "kernels"))
        line_costs_add(&costs, kernel, answer_string(submission, "filename"),
                       (double)(calls > 0 ? calls : 1));
    return costs;
}

/* Adds a line with its number and cost in one source; nothing where it is not there. */
static void
add_line_cost(struct table *table, const struct line_costs *costs, size_t number,
              bool utf8)
{
    const double ns = costs->ns[number];
    struct text32 text;

    if (number > 0)
        table_cell(table, "%zu", number);
    else
        table_cell(table, "%s", "");
    table_cell(table, "%s", number > 0 && ns > 0 ? format_time(&text, ns, utf8) : "");
}

static bool
is_costly(const struct line_costs *costs, size_t number)
{
    return number > 0 && costs->ns[number] > costs->total_ns * LINE_SHARE_LEAST;
}

void
compare_print_lines(const struct terminal *t, const struct compared *c,
                    const struct line_diff *diff)
{
    static const struct column columns[] = {
        {"line", true}, {"before", true}, {"line", true}, {"after", true}, {"", false}};
    struct line_costs before = line_costs_of(c->before, diff->count),
                      after = line_costs_of(c->after, diff->count);
    struct table *table = table_new(columns, sizeof columns / sizeof *columns);
    bool any = false;

    table_may_cut(table, 4, 12);
    for (size_t i = 0; i < diff->count; i++) {
        const struct diff_line *line = &diff->line[i];
        const size_t blanks = strspn(line->text, " \t");
        const size_t skip = blanks < line->len ? blanks : line->len;

        if (!is_costly(&before, line->before) && !is_costly(&after, line->after))
            continue;
        table_row(table, STYLE_PLAIN);
        add_line_cost(table, &before, line->before, t->utf8);
        add_line_cost(table, &after, line->after, t->utf8);
        table_cell(table, "%.*s", (int)(line->len - skip), line->text + skip);
        any = true;
    }
    if (any) {
        terminal_print(t, STYLE_BOLD, "\nwhat the lines cost in one call\n");
        table_print(table, t);
    }
    table_free(table);
    free(before.ns);
    free(after.ns);
}
