#include "daemon/web/compare_view.h"

#include "base/buf.h"
#include "base/line_diff.h"
#include "base/report.h"
#include "daemon/web/source_view.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Of longer sources the beginning is compared: the time for a difference grows with the
 * lines and with the changes. */
#define LINES_MAX 1500
/* Equal lines that are farther than this from a change or a cost are folded. */
#define AROUND 3

/* --- figures ------------------------------------------------------------ */

enum figure_kind { FIGURE_TIME, FIGURE_RATE, FIGURE_SHARE, FIGURE_COUNT };

static void
figure_value(struct html *h, enum figure_kind kind, double value)
{
    if (isnan(value))
        return;
    switch (kind) {
    case FIGURE_TIME:
        html_time(h, value);
        break;
    case FIGURE_RATE:
        html_rate(h, value);
        break;
    case FIGURE_SHARE:
        html_share(h, value);
        break;
    case FIGURE_COUNT:
        html(h, "%.0f", value);
        break;
    }
}

/* The name of a counter, such as global_sectors, as words. */
static void
figure_name(struct html *h, const char *name)
{
    while (*name != '\0') {
        const size_t len = strcspn(name, "_");

        html(h, "%.*s", (int)len, name);
        name += len;
        if (*name == '_') {
            html(h, " ");
            name++;
        }
    }
}

static void
figure_row(struct html *h, const char *name, enum figure_kind kind, double before,
           double after)
{
    html(h, "<tr><th scope=\"row\">");
    figure_name(h, name);
    html(h, "</th><td class=\"number\">");
    figure_value(h, kind, before);
    html(h, "</td><td class=\"number\">");
    figure_value(h, kind, after);
    html(h, "</td><td class=\"number quiet\">");
    if (before == 0 && after > 0) {
        html(h, "new");
    } else if (before > 0 && before != after && !isnan(after)) {
        html_rate(h, after / before);
        html(h, "\u00d7");
    }
    html(h, "</td></tr>");
}

/* A counter of a submission, for one call; NaN where nothing was counted. */
static double
counter_of(const cJSON *sub, const char *key)
{
    const cJSON *counters = value_at(sub, "counters");
    const long long calls = value_whole(counters, "calls");

    return value_number(counters, key) / (double)(calls > 0 ? calls : 1);
}

/* Writes each counter that is above 0 in one of the two. */
static void
figures_of_counters(struct html *h, const struct compared *c)
{
    const cJSON *of = value_at(c->after, "counters"), *item;

    if (of == NULL)
        of = value_at(c->before, "counters");
    cJSON_ArrayForEach(item, of)
    {
        const char *key = item->string;
        const double before = counter_of(c->before, key),
                     after = counter_of(c->after, key);

        if (cJSON_IsNumber(item) && strcmp(key, "calls") != 0 &&
            (before > 0 || after > 0))
            figure_row(h, key, strcmp(key, "host_ns") == 0 ? FIGURE_TIME : FIGURE_COUNT,
                       before, after);
    }
}

void
compare_figures(struct html *h, const struct compared *c)
{
    static const struct {
        const char *key, *name;
        enum figure_kind kind;
    } FIGURES[] = {{"time_ns", "time", FIGURE_TIME},
                   {"low_ns", "from", FIGURE_TIME},
                   {"high_ns", "to", FIGURE_TIME},
                   {"bandwidth_gbs", "GB/s", FIGURE_RATE},
                   {"gflops", "GFLOP/s", FIGURE_RATE},
                   {"limit_share", "of the limit", FIGURE_SHARE}};

    html(h, "<section aria-labelledby=\"figures\"><h2 id=\"figures\">Figures and counters"
            "</h2><div class=\"scroll\" tabindex=\"0\" role=\"region\" "
            "aria-label=\"Figures\"><table class=\"dense\"><thead><tr>"
            "<th scope=\"col\">Of one call</th>"
            "<th scope=\"col\" class=\"number\">Before</th>"
            "<th scope=\"col\" class=\"number\">After</th>"
            "<th scope=\"col\" class=\"number\">Factor</th></tr></thead><tbody>");
    for (size_t i = 0; i < sizeof FIGURES / sizeof *FIGURES; i++) {
        const double before = value_number(c->before, FIGURES[i].key),
                     after = value_number(c->after, FIGURES[i].key);

        if (!isnan(before) || !isnan(after))
            figure_row(h, FIGURES[i].name, FIGURES[i].kind, before, after);
    }
    figures_of_counters(h, c);
    html(h, "</tbody></table></div></section>");
}

/* --- costs of lines ----------------------------------------------------- */

/* What the lines of one source cost in one call, of the counter that is shown. */
struct line_costs {
    double *of; /* by the line's number */
    size_t count;
    double total;
};

static struct line_costs
line_costs_of(const cJSON *sub, const char *counter, size_t count)
{
    struct line_costs costs = {xcalloc(count + 1, sizeof(double)), count, 0};
    const cJSON *counters = value_at(sub, "counters"), *kernel, *line;
    const long long calls = value_whole(counters, "calls");

    cJSON_ArrayForEach(kernel, value_at(counters, "kernels"))
        cJSON_ArrayForEach(line, value_at(kernel, "lines"))
    {
        const long long number = value_whole(line, "line");
        const double cost = value_number(line, counter) / (double)(calls > 0 ? calls : 1);

        if (number > 0 && (size_t)number <= count && cost > 0 &&
            value_is_text(line, "file", value_text(sub, "filename"))) {
            costs.of[number] += cost;
            costs.total += cost;
        }
    }
    return costs;
}

/* Is this counter one of the lines of a submission, and above 0 in one of them? */
static bool
counter_is_of_lines(const cJSON *sub, const char *counter)
{
    const cJSON *kernel, *line;

    cJSON_ArrayForEach(kernel, value_at(value_at(sub, "counters"), "kernels"))
        cJSON_ArrayForEach(line,
                           value_at(kernel, "lines")) if (strcmp(counter, "share") != 0 &&
                                                          strcmp(counter, "line") != 0 &&
                                                          value_number(line, counter) >
                                                              0) return true;
    return false;
}

static const cJSON *
counters_of_a_line(const cJSON *sub)
{
    const cJSON *kernel;

    cJSON_ArrayForEach(kernel, value_at(value_at(sub, "counters"), "kernels"))
    {
        const cJSON *line = cJSON_GetArrayItem(value_at(kernel, "lines"), 0);

        if (line != NULL)
            return line;
    }
    return NULL;
}

/* Writes the form that chooses what stands beside the lines. */
static void
counter_form(struct html *h, const struct compared *c, const char *chosen)
{
    const cJSON *of = counters_of_a_line(c->after), *item;

    if (of == NULL)
        of = counters_of_a_line(c->before);
    if (of == NULL)
        return;
    html(h,
         "<form class=\"filter\" action=\"/compare#source\">"
         "<input type=\"hidden\" name=\"before\" value=\"%lld\">"
         "<input type=\"hidden\" name=\"after\" value=\"%lld\">"
         "<label>Beside each line, of one call <select name=\"by\">",
         value_whole(c->before, "id"), value_whole(c->after, "id"));
    cJSON_ArrayForEach(item, of)
    {
        if (!counter_is_of_lines(c->before, item->string) &&
            !counter_is_of_lines(c->after, item->string))
            continue;
        html(h, "<option value=\"%s\"%s>", item->string,
             strcmp(item->string, chosen) == 0 ? " selected" : "");
        if (strcmp(item->string, "ns") == 0)
            html(h, "modelled time");
        else
            figure_name(h, item->string);
        html(h, "</option>");
    }
    html(h, "</select></label><button>Show</button></form>");
}

/* --- the difference ----------------------------------------------------- */

struct shown_diff {
    struct line_diff diff;
    struct line_costs before, after;
    bool costs, times;
};

/* Bars of both sides have one scale. */
static void
diff_cost(struct html *h, const struct shown_diff *s, const struct line_costs *costs,
          size_t number)
{
    const double most = fmax(s->before.total, s->after.total);

    html(h, "<td class=\"cost\">");
    if (number > 0 && costs->of[number] > 0) {
        source_bar(h, costs->of[number] / most);
        figure_value(h, s->times ? FIGURE_TIME : FIGURE_COUNT, costs->of[number]);
    }
    html(h, "</td>");
}

static void
diff_number(struct html *h, size_t number)
{
    html(h, "<td class=\"no\">");
    if (number > 0)
        html(h, "%zu", number);
    html(h, "</td>");
}

static void
diff_row(struct html *h, const struct shown_diff *s, const struct diff_line *line)
{
    static const char *const CLASSES[] = {
        [DIFF_SAME] = "same", [DIFF_GONE] = "gone", [DIFF_NEW] = "new"};
    static const char *const SIGNS[] = {
        [DIFF_SAME] = "", [DIFF_GONE] = "\u2212", [DIFF_NEW] = "+"};
    const size_t newline = line->len > 0 && line->text[line->len - 1] == '\n';

    html(h, "<tr class=\"%s\">", CLASSES[line->kind]);
    diff_number(h, line->before);
    if (s->costs)
        diff_cost(h, s, &s->before, line->before);
    diff_number(h, line->after);
    if (s->costs)
        diff_cost(h, s, &s->after, line->after);
    html(h, "<td class=\"sign\">%s</td><td class=\"code\"><code>", SIGNS[line->kind]);
    html_text(h, line->text, line->len - newline);
    html(h, "</code></td></tr>");
}

/* Is the line changed, or does it cost something? */
static bool
diff_matters(const struct shown_diff *s, size_t i)
{
    const struct diff_line *line = &s->diff.line[i];

    return line->kind != DIFF_SAME ||
           (s->costs && (s->before.of[line->before] > 0 || s->after.of[line->after] > 0));
}

/* The first line from `i` on that is shown because something near it matters, or the
 * number of lines. */
static size_t
diff_next_shown(const struct shown_diff *s, size_t i)
{
    size_t next = i;

    while (next < s->diff.count && !diff_matters(s, next))
        next++;
    if (next == s->diff.count)
        return next;
    return next > i + AROUND ? next - AROUND : i;
}

static void
diff_rows(struct html *h, const struct shown_diff *s)
{
    size_t i = 0, shown_to = 0; /* lines before shown_to are near one that matters */

    while (i < s->diff.count) {
        if (diff_matters(s, i))
            shown_to = i + 1 + AROUND;
        if (i >= shown_to) {
            const size_t next = diff_next_shown(s, i);

            if (next > i + 1) {
                html(h, "<tr class=\"fold\"><td colspan=\"%d\">", s->costs ? 6 : 4);
                html_plural(h, (long long)(next - i), "equal line");
                html(h, "</td></tr>");
                i = next;
                continue;
            }
        }
        diff_row(h, s, &s->diff.line[i]);
        i++;
    }
}

/* Writes the table of a difference. */
static void
diff_table(struct html *h, const struct shown_diff *s)
{
    html(h, "<div class=\"scroll\" tabindex=\"0\" role=\"region\" "
            "aria-label=\"Difference\"><table class=\"source diff\"><thead "
            "class=\"away\"><tr>"
            "<th scope=\"col\">Line before</th>");
    if (s->costs)
        html(h, "<th scope=\"col\">Cost before</th>");
    html(h, "<th scope=\"col\">Line after</th>");
    if (s->costs)
        html(h, "<th scope=\"col\">Cost after</th>");
    html(h, "<th scope=\"col\">Change</th><th scope=\"col\">Source</th></tr></thead>"
            "<tbody>");
    diff_rows(h, s);
    html(h, "</tbody></table></div>");
}

/* The beginning of a source that is compared; the caller frees. */
static char *
compared_text(const cJSON *source, bool *cut)
{
    const char *text = value_text(source, "source");
    struct buf copy = {0};
    size_t len = 0;

    (void)source_count_lines(text, LINES_MAX, &len);
    *cut = *cut || text[len] != '\0';
    buf_add(&copy, text, len);
    return buf_take(&copy);
}

void
compare_source(struct html *h, const struct compared *c)
{
    const bool known =
        c->counter != NULL && (counter_is_of_lines(c->before, c->counter) ||
                               counter_is_of_lines(c->after, c->counter));
    const char *counter = known ? c->counter : "ns";
    struct shown_diff s = {.times = strcmp(counter, "ns") == 0};
    char *before, *after;
    bool cut = false;

    html(h, "<section aria-labelledby=\"source\"><h2 id=\"source\">Sources</h2>");
    if (c->before_source == NULL || c->after_source == NULL) {
        html(h,
             "<p class=\"notice\">Their difference is not shown: one of the sources is "
             "not for you to see.</p></section>");
        return;
    }
    before = compared_text(c->before_source, &cut);
    after = compared_text(c->after_source, &cut);
    line_diff_make(before, after, &s.diff);
    s.before = line_costs_of(c->before, counter, s.diff.count);
    s.after = line_costs_of(c->after, counter, s.diff.count);
    s.costs = s.before.total > 0 || s.after.total > 0;
    counter_form(h, c, counter);
    html(h, "<p class=\"quiet\">%s",
         s.diff.gone + s.diff.added == 0 ? "The sources are the same." : "");
    if (s.diff.gone + s.diff.added > 0)
        html(h, "%zu lines are gone, %zu are new.", s.diff.gone, s.diff.added);
    html(h, "%s</p>", cut ? " Of long sources the beginning is compared." : "");
    diff_table(h, &s);
    html(h, "</section>");
    line_diff_free(&s.diff);
    free(s.before.of);
    free(s.after.of);
    free(before);
    free(after);
}
