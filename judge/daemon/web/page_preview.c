/* A problem's preview for its author: what is wrong with its folder, and its statement.
 */
#include "daemon/api.h"
#include "daemon/web/layout.h"
#include "daemon/web/page_routes.h"
#include "daemon/web/values.h"

/* Writes where a browser hears of the next change. */
static void
preview_events(struct view *v)
{
    const char *key = call_query(&v->call, "key");
    struct html *h = &v->page;

    html(h, "/api/v1/problems/%s/preview/events?seen=%s", value_text(v->answer, "slug"),
         value_text(v->answer, "version"));
    if (key != NULL) {
        html(h, "&amp;key=");
        html_url(h, key);
    }
}

static void
preview_findings(struct view *v)
{
    const cJSON *findings = value_at(v->answer, "findings"), *finding;
    const char *slug = value_text(v->answer, "slug");
    struct html *h = &v->page;
    const int count = cJSON_GetArraySize(findings);

    if (count == 0) {
        html(h,
             "<p class=\"notice fine\" id=\"state\">Spec and statement have no errors. "
             "<code>warpjudge problem check %s</code> runs the reference and the "
             "solutions, too.</p>",
             slug);
        return;
    }
    html(h, "<section class=\"findings\" aria-labelledby=\"state\"><h2 id=\"state\">");
    html_plural(h, count, "error");
    html(h, "</h2><ul>");
    cJSON_ArrayForEach(finding, findings)
        html(h, "<li><code>%s</code> %s</li>", value_text(finding, "where"),
             value_text(finding, "sentence"));
    html(h, "</ul></section>");
}

static void
preview_show(struct view *v)
{
    const char *title = value_text(v->answer, "title");
    const char *slug = value_text(v->answer, "slug");
    struct html *h = &v->page;

    if (v->status != 200) {
        view_fail(v);
        return;
    }
    layout_begin(v, title, SECTION_PROBLEMS, 0);
    html(h, "<header class=\"head\" data-preview=\"");
    preview_events(v);
    html(h,
         "\"><h1>%s</h1><p class=\"quiet\">A preview of <code>%s/</code> as it is on the "
         "disk. <a href=\"/problems/%s\">The problem's page</a>.",
         title, slug, slug);
    layout_begin_unscripted(v);
    html(h, " Without scripts, load this page again to see what has changed.");
    layout_end_unscripted(v);
    html(h, "</p></header>");
    preview_findings(v);
    html(h, "<article class=\"statement\">");
    layout_statement(v, value_text(v->answer, "statement"));
    html(h, "</article>");
    layout_end(v);
    view_send(v, 200);
}

void
page_preview(struct http_call *c)
{
    struct view *v = view_begin(c);

    view_set_arg(v, 0, v->call.arg[0]);
    view_set_query(v, "key", call_query(&v->call, "key"));
    view_ask(v, api_preview, preview_show);
}
