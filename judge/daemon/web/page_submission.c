/* A submission: where it stands, its verdict, what went wrong, and what it costs. */
#include "daemon/api.h"
#include "daemon/daemon.h"
#include "daemon/web/failure_view.h"
#include "daemon/web/kernels_view.h"
#include "daemon/web/layout.h"
#include "daemon/web/page_routes.h"
#include "daemon/web/roofline_view.h"
#include "daemon/web/rows.h"
#include "daemon/web/samples_view.h"
#include "daemon/web/source_view.h"
#include "daemon/web/staff_view.h"
#include "daemon/web/values.h"
#include "record/store.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define REFRESH_S 2
#define LIST_SHOWN "50"

#define OTHERS_SHOWN "20"

enum { PART_SUBMISSION, PART_SOURCE, PART_OTHERS };

/* --- where it stands ---------------------------------------------------- */

static void
submission_progress(struct view *v, const cJSON *sub)
{
    static const struct {
        const char *state, *words;
    } STATES[] = {{"queued", "Waits to be compiled"},
                  {"compiling", "Is being compiled"},
                  {"waiting", "Waits for its device"},
                  {"running", "Is being judged"}};
    const double seconds = value_number(sub, "estimate_seconds");
    struct html *h = &v->page;

    html(h,
         "<div class=\"progress-steps\" role=\"status\" "
         "data-page=\"/submissions/%lld\" "
         "data-events=\"/api/v1/submissions/%lld/events\"><ol>",
         value_whole(sub, "id"), value_whole(sub, "id"));
    for (size_t i = 0; i < sizeof STATES / sizeof *STATES; i++) {
        html(h, "<li data-state=\"%s\"", STATES[i].state);
        if (value_is_text(sub, "state", STATES[i].state))
            html(h, " aria-current=\"step\"");
        html(h, ">%s</li>", STATES[i].words);
    }
    html(h, "</ol>");
    if (!isnan(value_number(sub, "position")))
        html(h, "<p>Place %lld in the queue", value_whole(sub, "position"));
    else
        html(h, "<p>");
    if (!isnan(seconds))
        html(h, ", about %.0f s from now", seconds);
    html(h, "</p>");
    if (value_text(sub, "waiting_reason")[0] != '\0')
        html(h, "<p class=\"notice\" data-reason>It waits: %s</p>",
             value_text(sub, "waiting_reason"));
    layout_begin_unscripted(v);
    html(h, "<p class=\"quiet\">This page asks again every %d s.</p>", REFRESH_S);
    layout_end_unscripted(v);
    html(h, "</div>");
}

static void
submission_cancel(struct view *v, const cJSON *sub)
{
    struct html *h = &v->page;
    struct report r = {0};

    if (rights_cancel(v->call.daemon, &v->call.who, NULL,
                      &(struct submission){.user = (char *)value_text(sub, "user")},
                      &r) != 0)
        return;
    html(h, "<form method=\"post\" action=\"/submissions/%lld/cancel\">",
         value_whole(sub, "id"));
    view_form_token(v);
    html(h, "<button>Cancel it</button></form>");
}

/* --- the verdict -------------------------------------------------------- */

static void
submission_figure(struct html *h, const char *name)
{
    html(h, "<div><dt>%s</dt><dd>", name);
}

/* The rank, which only an accepted submission of the mode `submit` has. */
static void
submission_rank(struct html *h, const cJSON *sub)
{
    if (isnan(value_number(sub, "rank")))
        return;
    submission_figure(h, "Rank");
    html(h, "<a href=\"/problems/");
    html_url(h, value_text(sub, "problem"));
    html(h, "/board?device=");
    html_url(h, value_text(sub, "board"));
    html(h, "&amp;around=");
    html_url(h, value_text(sub, "user"));
    html(h, "\">");
    html_ordinal(h, value_whole(sub, "rank"));
    html(h, "</a> <small>of %lld", value_whole(sub, "entries"));
    if (value_whole(sub, "ties") > 0)
        html(h, ", tied with %lld", value_whole(sub, "ties"));
    html(h, "</small></dd></div>");
    submission_figure(h, "Percentile");
    html_share(h, value_number(sub, "percentile") / 100);
    html(h, "</dd></div>");
}

static void
submission_time(struct html *h, const cJSON *sub)
{
    const double time = value_number(sub, "time_ns");
    const double low = value_number(sub, "low_ns"), high = value_number(sub, "high_ns");

    if (isnan(time))
        return;
    submission_figure(h, value_is_true(sub, "modelled") ? "Modelled time" : "Time");
    html_time(h, time);
    if (low < high) {
        html(h, " <small>95\u00a0%% within ");
        html_time(h, low);
        html(h, " to ");
        html_time(h, high);
        html(h, "</small>");
    }
    html(h, " <small>at %s</small></dd></div>", value_text(sub, "sizes"));
    if (!isnan(value_number(sub, "bandwidth_gbs"))) {
        submission_figure(h, "Speed");
        html_rate(h, value_number(sub, "bandwidth_gbs"));
        html(h, "\u00a0GB/s");
        if (!isnan(value_number(sub, "gflops"))) {
            html(h, " <small>");
            html_rate(h, value_number(sub, "gflops"));
            html(h, "\u00a0GFLOP/s</small>");
        }
        html(h, "</dd></div>");
    }
    if (!isnan(value_number(sub, "limit_share"))) {
        submission_figure(h, "Of the limit");
        html_share(h, value_number(sub, "limit_share"));
        html(h, " <small>set by %s</small></dd></div>", value_text(sub, "limit_by"));
    }
}

static void
submission_change(struct html *h, const cJSON *sub)
{
    const cJSON *change = value_at(sub, "change");
    const double speedup = value_number(change, "speedup");

    if (change == NULL)
        return;
    html(h, "<p>");
    if (isnan(speedup))
        html(h, "It is its user's first accepted one on this board.");
    else if (speedup >= 1) {
        html(h, "<b>");
        html_rate(h, speedup);
        html(h,
             "\u00d7</b> as fast as <a href=\"/submissions/%lld\">the best before</a>%s.",
             value_whole(change, "best"),
             value_is_true(change, "sure") ? "" : ", which may be chance");
    } else {
        html(h, "The best stays <a href=\"/submissions/%lld\">%lld</a>.",
             value_whole(change, "best"), value_whole(change, "best"));
    }
    if (value_whole(change, "passed") > 0) {
        html(h, " It has passed ");
        html_plural(h, value_whole(change, "passed"), "user");
        html(h, ".");
    }
    html(h, "</p>");
}

static void
submission_result(struct view *v, const cJSON *sub)
{
    struct html *h = &v->page;

    html(h, "<dl class=\"figures\">");
    submission_time(h, sub);
    submission_rank(h, sub);
    html(h, "</dl>");
    submission_change(h, sub);
    if (value_text(sub, "remark")[0] != '\0')
        html(h, "<p class=\"notice\">%s</p>", value_text(sub, "remark"));
    if (value_is_true(sub, "insecure"))
        html(h, "<p class=\"notice\">It was judged without a sandbox.</p>");
    if (value_is_true(sub, "concealed"))
        html(h, "<p class=\"notice\">Its source, and what quotes it, is not for you to "
                "see.</p>");
    failure_view(h, sub, v->part[PART_SOURCE] != NULL);
}

/* --- the page ----------------------------------------------------------- */

static void
submission_head(struct view *v, const cJSON *sub)
{
    struct html *h = &v->page;

    html(h, "<header class=\"head\"><h1>Submission %lld ", value_whole(sub, "id"));
    rows_fate(h, sub);
    html(h, "</h1><p class=\"quiet\">");
    html_problem_link(h, value_text(sub, "problem"),
                      layout_title(v, value_text(sub, "problem")));
    html(h, " by ");
    html_user(h, sub, "user");
    html(h, " on %s, %s, ", value_text(sub, "device"), value_text(sub, "mode"));
    html_ago(h, value_number(sub, "created_ms"));
    if (staff_is_admin(v) && value_is_text(sub, "mode", "submit"))
        html(h, ", <a href=\"/staff/rejudge?submissions=%lld\">judge again</a>",
             value_whole(sub, "id"));
    html(h, "</p></header>");
}

/* Writes another submission as one that this one can be compared with. */
static void
submission_option(struct html *h, const cJSON *other, bool chosen)
{
    const bool accepted = value_is_text(other, "verdict", "accepted");

    html(h, "<option value=\"%lld\"%s>", value_whole(other, "id"),
         chosen ? " selected" : "");
    html(h, "%lld, ", value_whole(other, "id"));
    if (accepted && !isnan(value_number(other, "time_ns")))
        html_time(h, value_number(other, "time_ns"));
    else
        html_verdict_words(h, value_text(other, "verdict"));
    html(h, ", ");
    html_ago_words(h, value_number(other, "created_ms"));
    html(h, "</option>");
}

/* The number of the submission that one may want to compare this one with: the best one
 * before it, or else the newest one that has a time. */
static long long
submission_to_compare(const cJSON *sub, const cJSON *others)
{
    const long long best = value_whole(value_at(sub, "change"), "best");
    const cJSON *other;

    if (best > 0 && best != value_whole(sub, "id"))
        return best;
    cJSON_ArrayForEach(other, others)
    {
        if (!isnan(value_number(other, "time_ns")) &&
            value_whole(other, "id") != value_whole(sub, "id"))
            return value_whole(other, "id");
    }
    return 0;
}

/* Writes the form that compares this submission with another one of its user's. */
static void
submission_compare(struct html *h, const cJSON *sub, const cJSON *others)
{
    const long long id = value_whole(sub, "id");
    const long long wanted = submission_to_compare(sub, others);
    const cJSON *other;
    bool any = false;

    cJSON_ArrayForEach(other, others)
    {
        if (value_whole(other, "id") == id || !value_is_text(other, "state", "done"))
            continue;
        if (!any)
            html(h,
                 "<form class=\"row\" action=\"/compare\"><input type=\"hidden\" "
                 "name=\"after\" value=\"%lld\"><label>Compare with <select "
                 "name=\"before\">",
                 id);
        any = true;
        submission_option(h, other, value_whole(other, "id") == wanted);
    }
    if (any)
        html(h, "</select></label><button>Compare</button></form>");
    else
        html(h, "<a class=\"button\" href=\"/compare?after=%lld\">Compare</a>", id);
}

/* What a time consists of, as drawings beside each other where there is room. */
static void
submission_drawings(struct html *h, const cJSON *sub)
{
    if (isnan(value_number(sub, "time_ns")))
        return;
    html(h, "<div class=\"pair\">");
    samples_view(h, sub);
    roofline_view(h, sub);
    html(h, "</div>");
}

static void
submission_show(struct view *v)
{
    const cJSON *sub = v->part[PART_SUBMISSION], *source = v->part[PART_SOURCE];
    const bool done = value_is_text(sub, "state", "done");
    struct html *h = &v->page;
    char title[64];

    snprintf(title, sizeof title, "Submission %lld", value_whole(sub, "id"));
    layout_begin(v, title, SECTION_SUBMISSIONS, done ? 0 : REFRESH_S);
    submission_head(v, sub);
    if (done) {
        submission_result(v, sub);
    } else {
        submission_progress(v, sub);
        submission_cancel(v, sub);
    }
    submission_drawings(h, sub);
    kernels_view(h, sub);
    if (source != NULL) {
        html(h,
             "<section aria-labelledby=\"source\"><h2 id=\"source\">%s</h2>"
             "<div class=\"row\"><a class=\"button\" href=\"/problems/",
             value_text(source, "filename"));
        html_url(h, value_text(sub, "problem"));
        html(h,
             "?from=%lld\">Edit and send again</a>"
             "<a class=\"button\" href=\"/submissions/%lld/assembly\">PTX and SASS</a>",
             value_whole(sub, "id"), value_whole(sub, "id"));
        if (done)
            submission_compare(h, sub, value_at(v->part[PART_OTHERS], "submissions"));
        html(h, "</div>");
        source_view(h, sub, value_text(source, "filename"), value_text(source, "source"));
        html(h, "</section>");
    }
    tests_view(h, sub);
    layout_end(v);
    view_send(v, v->notice != NULL ? 400 : 200);
}

static void
submission_take_others(struct view *v)
{
    if (v->status == 200)
        v->part[PART_OTHERS] = v->answer;
    submission_show(v);
}

static void
submission_take_source(struct view *v)
{
    const cJSON *sub = v->part[PART_SUBMISSION];

    if (v->status != 200) {
        submission_show(v);
        return;
    }
    v->part[PART_SOURCE] = v->answer;
    view_set_query(v, "user", value_text(sub, "user"));
    view_set_query(v, "problem", value_text(sub, "problem"));
    view_set_query(v, "limit", OTHERS_SHOWN);
    view_ask(v, api_submissions, submission_take_others);
}

static void
submission_take(struct view *v)
{
    if (v->status != 200) {
        view_fail(v);
        return;
    }
    v->part[PART_SUBMISSION] = v->answer;
    view_set_arg(v, 0, v->call.arg[0]);
    view_ask(v, api_source, submission_take_source);
}

static void
submission_begin(struct view *v)
{
    view_set_arg(v, 0, v->call.arg[0]);
    view_ask(v, api_submission, submission_take);
}

void
page_submission(struct http_call *c)
{
    submission_begin(view_begin(c));
}

/* --- cancelling --------------------------------------------------------- */

static void
submission_cancelled(struct view *v)
{
    if (v->status != 200)
        view_note(v, "It was not cancelled: %s.", view_sentence(v));
    submission_begin(v);
}

void
page_cancel(struct http_call *c)
{
    struct view *v = view_begin(c);

    if (!view_take_form(v, submission_begin))
        return;
    view_set_arg(v, 0, v->call.arg[0]);
    view_ask(v, api_cancel, submission_cancelled);
}

/* --- the list ----------------------------------------------------------- */

static void
submissions_show(struct view *v)
{
    const char *user = call_query(&v->call, "user");
    const char *problem = call_query(&v->call, "problem");
    struct html *h = &v->page;
    const cJSON *sub;

    if (v->status != 200) {
        view_fail(v);
        return;
    }
    layout_begin(v, "Submissions", SECTION_SUBMISSIONS, 0);
    html(h,
         "<h1>Submissions</h1><form class=\"filter\" action=\"/submissions\">"
         "<label>User <input name=\"user\" value=\"%s\"></label>"
         "<label>Problem <input name=\"problem\" value=\"%s\"></label>"
         "<button>Show</button></form>",
         user != NULL ? user : "", problem != NULL ? problem : "");
    html(h, "<div class=\"scroll\"><table><thead>");
    rows_submission_heads(h);
    html(h, "</thead><tbody>");
    cJSON_ArrayForEach(sub, value_at(v->answer, "submissions"))
        rows_submission(h, sub, ROWS_LONG);
    html(h, "</tbody></table></div>");
    if (v->followed != NULL) {
        html(h, "<nav class=\"pages\" aria-label=\"Pages\"><a rel=\"next\" href=\""
                "/submissions?user=");
        html_url(h, user != NULL ? user : "");
        html(h, "&amp;problem=");
        html_url(h, problem != NULL ? problem : "");
        html(h, "&amp;cursor=%s\">Older \u2192</a></nav>", v->followed);
    }
    layout_end(v);
    view_send(v, 200);
}

void
page_submissions(struct http_call *c)
{
    struct view *v = view_begin(c);

    view_set_query(v, "user", call_query(&v->call, "user"));
    view_set_query(v, "problem", call_query(&v->call, "problem"));
    view_set_query(v, "cursor", call_query(&v->call, "cursor"));
    view_set_query(v, "limit", LIST_SHOWN);
    view_ask(v, api_submissions, submissions_show);
}
