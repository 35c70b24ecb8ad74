/* For the staff: what waits, on which devices, and work that several people have sent. */
#include "daemon/api.h"
#include "daemon/web/layout.h"
#include "daemon/web/page_routes.h"
#include "daemon/web/staff_view.h"
#include "daemon/web/values.h"
#include "daemon/web/workers_view.h"

#include <math.h>
#include <string.h>

#define WORKERS_SHOWN "200"

enum { PART_HEALTH, PART_WORKERS };

/* --- the queue and the devices ------------------------------------------ */

static void
staff_queue_row(struct view *v, const cJSON *sub)
{
    const long long id = value_whole(sub, "id");
    struct html *h = &v->page;

    html(h, "<tr><td class=\"number\"><a href=\"/submissions/%lld\">%lld</a></td><td>",
         id, id);
    html_user(h, sub, "user");
    html(h, "</td><td>");
    html_problem_link(h, value_text(sub, "problem"), "");
    html(h, "</td><td>%s</td><td>%s</td><td class=\"number\">", value_text(sub, "device"),
         value_text(sub, "state"));
    if (!isnan(value_number(sub, "position")))
        html(h, "%lld", value_whole(sub, "position"));
    html(h, "</td><td class=\"number\">");
    if (!isnan(value_number(sub, "estimate_seconds")))
        html(h, "%.0f\u00a0s", value_number(sub, "estimate_seconds"));
    html(h,
         "</td><td><form class=\"inline\" method=\"post\" "
         "action=\"/submissions/%lld/cancel\">",
         id);
    view_form_token(v);
    html(h,
         "<button class=\"plain\">Cancel <span class=\"away\">%lld</span></button></form>"
         "</td></tr>",
         id);
}

static void
staff_queue(struct view *v, const cJSON *answer)
{
    const cJSON *queue = value_at(answer, "queue"), *sub;
    struct html *h = &v->page;

    html(h, "<h2>Queue</h2>");
    if (cJSON_GetArraySize(queue) == 0) {
        html(h, "<p class=\"quiet\">Nothing waits.</p>");
        return;
    }
    html(h, "<p class=\"quiet\">");
    html_plural(h, value_whole(answer, "total"), "submission");
    html(h, " not done%s</p>",
         value_whole(answer, "total") > cJSON_GetArraySize(queue)
             ? ", of which these are the oldest"
             : "");
    html(h, "<div class=\"scroll\"><table><thead><tr>"
            "<th scope=\"col\" class=\"number\">No.</th><th scope=\"col\">User</th>"
            "<th scope=\"col\">Problem</th><th scope=\"col\">Device</th>"
            "<th scope=\"col\">State</th><th scope=\"col\" class=\"number\">Place</th>"
            "<th scope=\"col\" class=\"number\">In about</th>"
            "<th scope=\"col\"><span class=\"away\">Change</span></th></tr></thead>"
            "<tbody>");
    cJSON_ArrayForEach(sub, queue) staff_queue_row(v, sub);
    html(h, "</tbody></table></div>");
}

static void
staff_devices(struct html *h, const cJSON *health)
{
    const cJSON *device;

    html(h, "<h2>Devices</h2><div class=\"scroll\" tabindex=\"0\" role=\"region\" "
            "aria-label=\"Devices\"><table><thead><tr>"
            "<th scope=\"col\">Name</th><th scope=\"col\">What it is</th>"
            "<th scope=\"col\">Board</th><th scope=\"col\">Models</th>"
            "<th scope=\"col\">Architecture</th>"
            "<th scope=\"col\" class=\"number\">Memory</th>"
            "<th scope=\"col\">Now</th></tr></thead><tbody>");
    cJSON_ArrayForEach(device, value_at(health, "devices"))
    {
        html(h,
             "<tr><th scope=\"row\">%s</th><td>%s</td><td>%s</td><td>%s</td><td>%s</td>"
             "<td class=\"number\">",
             value_text(device, "name"), value_text(device, "title"),
             value_text(device, "board"), value_text(device, "models"),
             value_text(device, "arch"));
        html_bytes(h, value_number(device, "memory_bytes"));
        html(h, "</td><td>%s</td></tr>", workers_view_now(device));
    }
    html(h, "</tbody></table></div>");
    if (value_text(health, "trouble")[0] != '\0')
        html(h, "<p class=\"notice\" role=\"alert\">%s</p>",
             value_text(health, "trouble"));
    html(h,
         "<p><a href=\"/staff/calibration\">How fast the GPUs were, day by day</a>.</p>");
    html(h, "<p>Memory and processes of submissions are held by %s.</p>",
         value_text(health, "limits"));
}

static void
staff_show(struct view *v)
{
    if (v->status != 200) {
        view_fail(v);
        return;
    }
    staff_head(v, STAFF_OVERVIEW, "Queue and devices");
    staff_queue(v, v->answer);
    staff_devices(&v->page, v->part[PART_HEALTH]);
    workers_view(&v->page, v->part[PART_WORKERS]);
    layout_end(v);
    view_send(v, 200);
}

static void
staff_take_workers(struct view *v)
{
    v->part[PART_WORKERS] = v->answer;
    view_ask(v, api_queue, staff_show);
}

static void
staff_take_health(struct view *v)
{
    v->part[PART_HEALTH] = v->answer;
    view_set_query(v, "limit", WORKERS_SHOWN);
    view_ask(v, api_workers, staff_take_workers);
}

void
page_staff(struct http_call *c)
{
    view_ask(view_begin(c), api_health, staff_take_health);
}

/* --- equal sources ------------------------------------------------------ */

static void
equal_work(struct view *v, const cJSON *work)
{
    struct html *h = &v->page;
    const cJSON *person;

    html(h, "<tr><th scope=\"row\">");
    html_problem_link(h, value_text(work, "problem"),
                      layout_title(v, value_text(work, "problem")));
    html(h, "</th><td>%s</td><td class=\"number\">%lld</td><td><ul class=\"inline\">",
         value_is_text(work, "kind", "ptx") ? "PTX only" : "source",
         value_whole(work, "size"));
    cJSON_ArrayForEach(person, value_at(work, "people"))
    {
        html(h, "<li>");
        html_user(h, person, "user");
        html(h, " <a href=\"/submissions/%lld\">%lld</a> <small>",
             value_whole(person, "submission"), value_whole(person, "submission"));
        html_ago(h, value_number(person, "created_ms"));
        html(h, "</small></li>");
    }
    html(h, "</ul>%s</td><td>", value_is_true(work, "more") ? " and others" : "");
    if (cJSON_GetArraySize(value_at(work, "people")) > 1)
        html(h,
             "<a href=\"/compare?before=%lld&amp;after=%lld\">Compare<span "
             "class=\"away\"> the first two</span></a>",
             value_whole(value_at(work, "people")->child, "submission"),
             value_whole(value_at(work, "people")->child->next, "submission"));
    html(h, "</td><td><code>%s</code></td></tr>", value_text(work, "solution"));
}

static void
equal_show(struct view *v)
{
    const char *problem = call_query(&v->call, "problem");
    const cJSON *list = value_at(v->answer, "equal"), *work;
    struct html *h = &v->page;

    if (v->status != 200) {
        view_fail(v);
        return;
    }
    staff_head(v, STAFF_EQUAL, "Equal sources");
    html(h,
         "<p class=\"lead\">What at least two people have sent to one problem: the "
         "sources "
         "differ only in names, comments, white space and the order of parts. It shows "
         "that work is equal, not who has copied.</p><form class=\"filter\" "
         "action=\"/staff/equal\"><label>Problem <input name=\"problem\" value=\"%s\">"
         "</label><button>Show</button></form>",
         problem != NULL ? problem : "");
    if (cJSON_GetArraySize(list) == 0)
        html(h, "<p class=\"quiet\">Nobody has sent the same as somebody else.</p>");
    else
        html(h, "<div class=\"scroll\"><table><thead><tr><th scope=\"col\">Problem</th>"
                "<th scope=\"col\">Equal</th><th scope=\"col\" class=\"number\">Size</th>"
                "<th scope=\"col\">People, in the order in which they sent it</th>"
                "<th scope=\"col\"><span class=\"away\">Compare</span></th>"
                "<th scope=\"col\">The judge's own</th></tr></thead><tbody>");
    cJSON_ArrayForEach(work, list) equal_work(v, work);
    if (cJSON_GetArraySize(list) > 0)
        html(h, "</tbody></table></div>");
    if (v->followed != NULL) {
        html(h, "<nav class=\"pages\" aria-label=\"Pages\"><a rel=\"next\" "
                "href=\"/staff/equal?problem=");
        html_url(h, problem != NULL ? problem : "");
        html(h, "&amp;cursor=%s\">Older \u2192</a></nav>", v->followed);
    }
    layout_end(v);
    view_send(v, 200);
}

void
page_equal(struct http_call *c)
{
    struct view *v = view_begin(c);

    view_set_query(v, "problem", call_query(&v->call, "problem"));
    view_set_query(v, "cursor", call_query(&v->call, "cursor"));
    view_ask(v, api_equal, equal_show);
}
