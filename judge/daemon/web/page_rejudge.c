/* Judging again, for admins: a preview first, what it would change, and then the same
 * with its results. */
#include "daemon/api.h"
#include "daemon/web/action.h"
#include "daemon/web/layout.h"
#include "daemon/web/page_routes.h"
#include "daemon/web/staff_view.h"
#include "daemon/web/values.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PATH "/staff/rejudge"

enum { PART_RUN };

/* --- what came of it ---------------------------------------------------- */

static void
rejudge_verdicts(struct html *h, const cJSON *run)
{
    const cJSON *list = value_at(run, "verdicts"), *row;

    html(h, "<h3>Changed verdicts</h3>");
    if (cJSON_GetArraySize(list) == 0) {
        html(h, "<p class=\"quiet\">None.</p>");
        return;
    }
    html(h, "<div class=\"scroll\"><table><thead><tr>"
            "<th scope=\"col\" class=\"number\">No.</th><th scope=\"col\">User</th>"
            "<th scope=\"col\">Problem</th><th scope=\"col\">Device</th>"
            "<th scope=\"col\">Before</th><th scope=\"col\" class=\"number\">Time</th>"
            "<th scope=\"col\">After</th><th scope=\"col\" class=\"number\">Time</th>"
            "</tr></thead><tbody>");
    cJSON_ArrayForEach(row, list)
    {
        html(h,
             "<tr><td class=\"number\"><a href=\"/submissions/%lld\">%lld</a></td><td>",
             value_whole(row, "submission"), value_whole(row, "submission"));
        html_user(h, row, "user");
        html(h, "</td><td>");
        html_problem_link(h, value_text(row, "problem"), "");
        html(h, "</td><td>%s</td><td>", value_text(row, "device"));
        html_verdict(h, value_text(row, "before"));
        html(h, "</td><td class=\"number\">");
        html_time(h, value_number(row, "before_ns"));
        html(h, "</td><td>");
        html_verdict(h, value_text(row, "after"));
        html(h, "</td><td class=\"number\">");
        html_time(h, value_number(row, "after_ns"));
        html(h, "</td></tr>");
    }
    html(h, "</tbody></table></div>");
}

static void
rejudge_rank(struct html *h, const cJSON *row, const char *key)
{
    html(h, "<td class=\"number\">");
    if (isnan(value_number(row, key)))
        html(h, "<span class=\"quiet\">not on it</span>");
    else
        html_ordinal(h, value_whole(row, key));
    html(h, "</td>");
}

static void
rejudge_ranks(struct html *h, const cJSON *run)
{
    const cJSON *list = value_at(run, "ranks"), *row;

    html(h,
         "<h3>Changed ranks</h3><p class=\"quiet\">%lld on the boards of today, "
         "%lld on older ones</p>",
         value_whole(run, "ranks_changed"), value_whole(run, "older_ranks_changed"));
    if (cJSON_GetArraySize(list) == 0)
        return;
    html(h, "<div class=\"scroll\"><table><thead><tr><th scope=\"col\">Problem</th>"
            "<th scope=\"col\">Board</th><th scope=\"col\">User</th>"
            "<th scope=\"col\" class=\"number\">Submission</th>"
            "<th scope=\"col\" class=\"number\">Before</th>"
            "<th scope=\"col\" class=\"number\">After</th></tr></thead><tbody>");
    cJSON_ArrayForEach(row, list)
    {
        html(h, "<tr><td>");
        html_problem_link(h, value_text(row, "problem"), "");
        html(h, "</td><td>%s</td><td>", value_text(row, "board"));
        html_user(h, row, "user");
        html(h, "</td><td class=\"number\"><a href=\"/submissions/%lld\">%lld</a></td>",
             value_whole(row, "submission"), value_whole(row, "submission"));
        rejudge_rank(h, row, "before");
        rejudge_rank(h, row, "after");
        html(h, "</tr>");
    }
    html(h, "</tbody></table></div>");
}

static bool
rejudge_goes_on(const cJSON *run)
{
    return value_is_text(run, "state", "judging");
}

static void
rejudge_run(struct view *v, const cJSON *run)
{
    struct html *h = &v->page;
    const long long judged = value_whole(run, "judged"),
                    of = value_whole(run, "submissions");

    html(h,
         "<section aria-labelledby=\"run\"><h2 id=\"run\">%s %lld: %s</h2>"
         "<p class=\"progress\"><label>%lld of %lld judged <progress max=\"%lld\" "
         "value=\"%lld\"></progress></label></p>",
         value_is_true(run, "preview") ? "Preview" : "Run", value_whole(run, "id"),
         value_text(run, "state"), judged, of, of > 0 ? of : 1, judged);
    if (value_whole(run, "left_out") > 0)
        html(h, "<p>%lld more cannot be judged again.</p>", value_whole(run, "left_out"));
    if (value_text(run, "message")[0] != '\0')
        html(h, "<p class=\"notice\">%s</p>", value_text(run, "message"));
    html(h, "<p class=\"quiet\">Begun ");
    html_moment(h, value_number(run, "begun_ms"));
    html(h, "</p>");
    if (rejudge_goes_on(run)) {
        action_form(v, "inline", PATH, "cancel");
        html(h, "<button>Cancel it</button></form>"
                "<p class=\"quiet\">Until all are judged nothing changes.</p>");
    }
    if (value_at(run, "verdicts") != NULL) {
        rejudge_verdicts(h, run);
        rejudge_ranks(h, run);
    }
    html(h, "</section>");
}

/* --- the form ----------------------------------------------------------- */

/* What was typed, or else what the address says. */
static const char *
rejudge_asked(const struct view *v, const char *name)
{
    const char *asked = call_query(&v->call, name);

    return asked != NULL ? asked : form_value(&v->form, name);
}

/* The page's address with what was judged again, so that after a preview nobody types it
 * anew. The caller frees it. */
static char *
rejudge_path(const struct view *v)
{
    static const char *const FIELDS[] = {"problem", "device", "submissions", "which"};
    struct html path = {0};
    bool any = false;

    html(&path, PATH);
    for (size_t i = 0; i < sizeof FIELDS / sizeof *FIELDS; i++) {
        if (rejudge_asked(v, FIELDS[i])[0] == '\0')
            continue;
        if (any)
            html(&path, "&%s=", FIELDS[i]);
        else
            html(&path, "?%s=", FIELDS[i]);
        html_url(&path, rejudge_asked(v, FIELDS[i]));
        any = true;
    }
    return buf_take(&path.out);
}

static void
rejudge_field(struct view *v, const char *label, const char *name)
{
    html(&v->page, "<label>%s <input name=\"%s\" value=\"%s\"></label>", label, name,
         rejudge_asked(v, name));
}

static void
rejudge_form(struct view *v)
{
    const bool all = strcmp(rejudge_asked(v, "which"), "changed") != 0;
    struct html *h = &v->page;

    action_form(v, "card broad", PATH, "begin");
    html(h,
         "<h2>Judge again</h2><p class=\"quiet\">A problem, a device's board, or both; "
         "or numbers of submissions alone. A preview changes nothing, and says what "
         "would be another.</p><div class=\"row\">");
    rejudge_field(v, "Problem", "problem");
    rejudge_field(v, "Device", "device");
    rejudge_field(v, "or submissions, such as 7,8", "submissions");
    html(h,
         "</div><label>Which results <select name=\"which\">"
         "<option value=\"all\">all</option><option value=\"changed\"%s>from before the "
         "problem changed</option></select></label>",
         all ? "" : " selected");
    html(h, "<div class=\"row\"><button class=\"first\" name=\"mode\" value=\"preview\">"
            "Preview</button><button name=\"mode\" value=\"replace\">Replace the results"
            "</button></div></form>");
}

static void
rejudge_show(struct view *v)
{
    const cJSON *run = v->part[PART_RUN];
    char *path = rejudge_path(v);

    staff_head(v, STAFF_REJUDGE, "Judge again");
    if (run != NULL)
        rejudge_run(v, run);
    if (run == NULL || !rejudge_goes_on(run))
        rejudge_form(v);
    else
        html(&v->page, "<p><a class=\"button\" href=\"%s\">Look again</a></p>", path);
    free(path);
    layout_end(v);
    view_send(v, layout_status(v));
}

static void
rejudge_take(struct view *v)
{
    if (v->status != 200 && v->status != 404) {
        view_fail(v);
        return;
    }
    v->part[PART_RUN] = v->status == 200 ? v->answer : NULL;
    rejudge_show(v);
}

static void
rejudge_begin(struct view *v)
{
    view_ask(v, api_rejudgement, rejudge_take);
}

void
page_rejudge(struct http_call *c)
{
    rejudge_begin(view_begin(c));
}

static bool
rejudge_prepare(struct view *v, cJSON *body)
{
    action_text(v, body, "problem");
    action_text(v, body, "device");
    action_text(v, body, "submissions");
    action_text(v, body, "mode");
    /* Numbers of submissions leave nothing to choose. */
    if (form_value(&v->form, "submissions")[0] == '\0')
        action_text(v, body, "which");
    return true;
}

static void
rejudge_done(struct view *v)
{
    char *path = rejudge_path(v);

    view_go(v, path);
    free(path);
}

void
page_change_rejudge(struct http_call *c)
{
    static const struct action ACTIONS[] = {{"begin", api_rejudge, rejudge_prepare},
                                            {"cancel", api_cancel_rejudgement, NULL}};

    action_take(view_begin(c), ACTIONS, sizeof ACTIONS / sizeof *ACTIONS, rejudge_begin,
                rejudge_done);
}
