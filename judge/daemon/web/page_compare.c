/* Two submissions to one problem: which is faster, what they cost, and what their sources
 * differ in. */
#include "daemon/api.h"
#include "daemon/web/compare_view.h"
#include "daemon/web/layout.h"
#include "daemon/web/page_routes.h"
#include "daemon/web/rows.h"
#include "daemon/web/values.h"
#include "record/ranked_interval.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { PART_BEFORE, PART_AFTER, PART_BEFORE_SOURCE, PART_AFTER_SOURCE };

/* --- which is faster ---------------------------------------------------- */

/* Why the times of two submissions say nothing about each other; NULL: they do. */
static const char *
compare_hindrance(const cJSON *a, const cJSON *b)
{
    if (isnan(value_number(a, "time_ns")) || isnan(value_number(b, "time_ns")))
        return "only accepted submissions have times";
    if (!value_is_text(a, "board", value_text(b, "board")))
        return "they were judged on different devices";
    if (!value_is_text(a, "meaning", value_text(b, "meaning")))
        return "the problem has changed between them";
    return NULL;
}

static struct measured
compare_measured(const cJSON *sub)
{
    return (struct measured){.time_ns = value_number(sub, "time_ns"),
                             .low_ns = value_number(sub, "low_ns"),
                             .high_ns = value_number(sub, "high_ns")};
}

static void
compare_link(struct html *h, const cJSON *sub)
{
    html(h, "<a href=\"/submissions/%lld\">%lld</a>", value_whole(sub, "id"),
         value_whole(sub, "id"));
}

static void
compare_outcome(struct html *h, const cJSON *a, const cJSON *b)
{
    const char *hindrance = compare_hindrance(a, b);
    const struct measured before = compare_measured(a), after = compare_measured(b);
    enum ranked_order order;

    html(h, "<p class=\"lead\">");
    if (hindrance != NULL) {
        html(h, "Their times cannot be compared: %s.</p>", hindrance);
        return;
    }
    order = ranked_compare(&before, &after, value_text(a, "board"));
    if (order == RANKED_UNSURE) {
        html(h, "The times of ");
        compare_link(h, a);
        html(h, " and ");
        compare_link(h, b);
        html(h, " are <b>not to be told apart</b>.</p>");
        return;
    }
    compare_link(h, b);
    html(h, " is <b class=\"%s\">", order == RANKED_FASTER ? "good" : "bad");
    html_rate(h, order == RANKED_FASTER ? before.time_ns / after.time_ns
                                        : after.time_ns / before.time_ns);
    html(h, "\u00d7 %s</b> than ", order == RANKED_FASTER ? "faster" : "slower");
    compare_link(h, a);
    html(h, ".</p>");
}

/* --- intervals ---------------------------------------------------------- */

#define PLOT_WIDTH 360
#define PLOT_ROW 24
#define PLOT_LABEL 46

static void
compare_interval(struct html *h, const cJSON *sub, const char *name, int row,
                 double most_ns)
{
    const struct measured m = compare_measured(sub);
    const double scale = (PLOT_WIDTH - PLOT_LABEL - 4) / most_ns;
    const int y = row * PLOT_ROW;

    html(h, "<text x=\"0\" y=\"%d\">%s</text>", y + 16, name);
    html(h,
         "<rect class=\"%s\" x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"12\" rx=\"2\"/>",
         name, PLOT_LABEL, y + 6, fmax(m.time_ns * scale, 1));
    html(h,
         "<line x1=\"%.1f\" x2=\"%.1f\" y1=\"%d\" y2=\"%d\"/>"
         "<line x1=\"%.1f\" x2=\"%.1f\" y1=\"%d\" y2=\"%d\"/>"
         "<line x1=\"%.1f\" x2=\"%.1f\" y1=\"%d\" y2=\"%d\"/>",
         PLOT_LABEL + m.low_ns * scale, PLOT_LABEL + m.high_ns * scale, y + 12, y + 12,
         PLOT_LABEL + m.low_ns * scale, PLOT_LABEL + m.low_ns * scale, y + 7, y + 17,
         PLOT_LABEL + m.high_ns * scale, PLOT_LABEL + m.high_ns * scale, y + 7, y + 17);
}

/* Draws both times as bars from 0 on, with their intervals. */
static void
compare_intervals(struct html *h, const cJSON *a, const cJSON *b)
{
    const double most =
        fmax(value_number(a, "high_ns"), fmax(value_number(b, "high_ns"), 1));

    if (compare_hindrance(a, b) != NULL)
        return;
    html(h,
         "<figure class=\"intervals\"><svg viewBox=\"0 0 %d %d\" role=\"img\" "
         "aria-label=\"The two times as bars, with their intervals\">",
         PLOT_WIDTH, 2 * PLOT_ROW);
    compare_interval(h, a, "before", 0, most);
    compare_interval(h, b, "after", 1, most);
    html(h,
         "</svg><figcaption class=\"quiet\">%s, with intervals of 95\u00a0%%</figcaption>"
         "</figure>",
         value_is_true(a, "modelled") ? "Modelled times" : "Times");
}

/* --- the page ----------------------------------------------------------- */

static void
compare_form(struct view *v)
{
    const char *before = call_query(&v->call, "before");
    const char *after = call_query(&v->call, "after");

    html(&v->page,
         "<form class=\"filter\" action=\"/compare\"><label>Submission "
         "<input name=\"before\" inputmode=\"numeric\" size=\"8\" required value=\"%s\">"
         "</label><label>and <input name=\"after\" inputmode=\"numeric\" size=\"8\" "
         "required value=\"%s\"></label><button>Compare</button>",
         before != NULL ? before : "", after != NULL ? after : "");
    if (before != NULL && after != NULL) {
        html(&v->page, "<a class=\"button\" href=\"/compare?before=");
        html_url(&v->page, after);
        html(&v->page, "&amp;after=");
        html_url(&v->page, before);
        html(&v->page, "\">Swap</a>");
    }
    html(&v->page, "</form>");
}

static void
compare_side(struct html *h, const char *name, const cJSON *sub)
{
    html(h, "<tr><td class=\"quiet\">%s</td><th scope=\"row\">", name);
    compare_link(h, sub);
    html(h, "</th><td>");
    html_user(h, sub, "user");
    html(h, "</td><td>");
    rows_fate(h, sub);
    html(h, "</td><td><code>%s</code></td><td>%s</td><td class=\"quiet\">",
         value_text(sub, "filename"), value_text(sub, "device"));
    html_ago(h, value_number(sub, "created_ms"));
    html(h, "</td></tr>");
}

static void
compare_show(struct view *v)
{
    const cJSON *a = v->part[PART_BEFORE], *b = v->part[PART_AFTER];
    struct compared both = {.before = a,
                            .after = b,
                            .before_source = v->part[PART_BEFORE_SOURCE],
                            .after_source = v->part[PART_AFTER_SOURCE],
                            .counter = call_query(&v->call, "by")};
    struct html *h = &v->page;
    char title[80];

    snprintf(title, sizeof title, "Submissions %lld and %lld", value_whole(a, "id"),
             value_whole(b, "id"));
    layout_begin(v, title, SECTION_SUBMISSIONS, 0);
    html(h, "<header class=\"head\"><h1>%s</h1><p class=\"quiet\">", title);
    html_problem_link(h, value_text(a, "problem"),
                      layout_title(v, value_text(a, "problem")));
    html(h, "</p></header>");
    compare_outcome(h, a, b);
    compare_intervals(h, a, b);
    html(h, "<div class=\"scroll\"><table class=\"sides\"><thead class=\"away\"><tr>"
            "<th scope=\"col\">Side</th><th scope=\"col\">No.</th>"
            "<th scope=\"col\">User</th><th scope=\"col\">Verdict</th>"
            "<th scope=\"col\">File</th><th scope=\"col\">Device</th>"
            "<th scope=\"col\">Sent</th></tr></thead><tbody>");
    compare_side(h, "before", a);
    compare_side(h, "after", b);
    html(h, "</tbody></table></div>");
    compare_form(v);
    compare_figures(h, &both);
    compare_source(h, &both);
    layout_end(v);
    view_send(v, 200);
}

/* --- asking ------------------------------------------------------------- */

static void
compare_take_after_source(struct view *v)
{
    if (v->status == 200)
        v->part[PART_AFTER_SOURCE] = v->answer;
    compare_show(v);
}

static void
compare_take_before_source(struct view *v)
{
    if (v->status == 200)
        v->part[PART_BEFORE_SOURCE] = v->answer;
    view_set_arg(v, 0, call_query(&v->call, "after"));
    view_ask(v, api_source, compare_take_after_source);
}

static void
compare_take_after(struct view *v)
{
    const cJSON *before = v->part[PART_BEFORE];

    if (v->status != 200) {
        view_fail(v);
        return;
    }
    v->part[PART_AFTER] = v->answer;
    if (!value_is_text(v->answer, "problem", value_text(before, "problem"))) {
        view_refuse(v, 400,
                    "They are for different problems: two submissions to one "
                    "problem can be compared.");
        return;
    }
    view_set_arg(v, 0, call_query(&v->call, "before"));
    view_ask(v, api_source, compare_take_before_source);
}

static void
compare_take_before(struct view *v)
{
    if (v->status != 200) {
        view_fail(v);
        return;
    }
    v->part[PART_BEFORE] = v->answer;
    view_set_arg(v, 0, call_query(&v->call, "after"));
    view_ask(v, api_submission, compare_take_after);
}

void
page_compare(struct http_call *c)
{
    struct view *v = view_begin(c);
    const char *before = call_query(&v->call, "before");
    const char *after = call_query(&v->call, "after");

    if (before != NULL && after != NULL) {
        view_set_arg(v, 0, before);
        view_ask(v, api_submission, compare_take_before);
        return;
    }
    layout_begin(v, "Compare", SECTION_SUBMISSIONS, 0);
    html(&v->page, "<h1>Compare two submissions</h1>");
    compare_form(v);
    layout_end(v);
    view_send(v, 200);
}
