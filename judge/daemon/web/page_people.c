/* What users have reached: the standing over all problems, the feed, a user's page. */
#include "daemon/api.h"
#include "daemon/web/layout.h"
#include "daemon/web/page_routes.h"
#include "daemon/web/staff_view.h"
#include "daemon/web/values.h"

#include <math.h>
#include <string.h>

#define ROWS 50
#define ROWS_TEXT "50"

/* --- the standing ------------------------------------------------------- */

static void
standing_row(struct view *v, const cJSON *e)
{
    struct html *h = &v->page;
    const bool own =
        v->call.who.name[0] != '\0' && value_is_text(e, "user", v->call.who.name);

    if (own)
        html(h, "<tr class=\"own\">");
    else
        html(h, "<tr>");
    html(h, "<td class=\"number\">%lld</td><th scope=\"row\">", value_whole(e, "rank"));
    html_user(h, e, "user");
    html(h,
         "</th><td class=\"number\">%.1f</td><td class=\"number\">%lld</td>"
         "<td class=\"number\">%lld</td><td class=\"number\">%lld</td>"
         "<td class=\"number\">%lld</td><td class=\"number\">%lld</td></tr>",
         value_number(e, "points"), value_whole(e, "solved"), value_whole(e, "easy"),
         value_whole(e, "medium"), value_whole(e, "hard"), value_whole(e, "fastest"));
}

static void
standing_show(struct view *v)
{
    const cJSON *s = v->answer, *e;
    const long long first = value_whole(s, "first");
    struct html *h = &v->page, path = {0};

    if (v->status != 200) {
        view_fail(v);
        return;
    }
    layout_begin(v, "Standing", SECTION_STANDING, 0);
    html(h, "<header class=\"head\"><h1>Standing</h1><p class=\"quiet\">%s%s, ",
         value_text(s, "board"),
         value_is_true(s, "modelled") ? ", times are modelled, not measured" : "");
    html_plural(h, value_whole(s, "total"), "user");
    html(h, "</p></header><div class=\"scroll\"><table><thead><tr>"
            "<th scope=\"col\" class=\"number\">Rank</th><th scope=\"col\">User</th>"
            "<th scope=\"col\" class=\"number\">Points</th>"
            "<th scope=\"col\" class=\"number\">Solved</th>"
            "<th scope=\"col\" class=\"number\">Easy</th>"
            "<th scope=\"col\" class=\"number\">Medium</th>"
            "<th scope=\"col\" class=\"number\">Hard</th>"
            "<th scope=\"col\" class=\"number\">Fastest</th></tr></thead><tbody>");
    cJSON_ArrayForEach(e, value_at(s, "entries")) standing_row(v, e);
    html(h, "</tbody></table></div>");
    html(&path, "/standings?device=");
    html_url(&path, value_text(s, "board"));
    html(&path, "&amp;");
    layout_pages(v, &path, (first - 1) / ROWS + 1,
                 first - 1 + cJSON_GetArraySize(value_at(s, "entries")) <
                     value_whole(s, "total"));
    buf_free(&path.out);
    html(h, "<p class=\"quiet\">%s</p>", value_text(s, "rule"));
    layout_end(v);
    view_send(v, 200);
}

void
page_standing(struct http_call *c)
{
    struct view *v = view_begin(c);
    const char *around = call_query(&v->call, "around");
    const char *page = call_query(&v->call, "page");

    view_set_query(v, "device", call_query(&v->call, "device"));
    view_set_query(v, "around", around);
    view_set_query(v, "page", around == NULL && page == NULL ? "1" : page);
    view_set_query(v, "limit", ROWS_TEXT);
    view_ask(v, api_standings, standing_show);
}

/* --- the feed ----------------------------------------------------------- */

static void
feed_item(struct view *v, const cJSON *item)
{
    const cJSON *change = value_at(item, "change"), *other;
    const double speedup = value_number(change, "speedup");
    struct html *h = &v->page;
    bool first = true;

    html(h, "<li>");
    html_user(h, item, "user");
    if (isnan(speedup)) {
        html(h, " is on the board of ");
    } else {
        html(h, " is ");
        html_rate(h, speedup);
        html(h, "\u00d7 as fast as before at ");
    }
    html_problem_link(h, value_text(item, "problem"),
                      layout_title(v, value_text(item, "problem")));
    html(h, " with <a href=\"/submissions/%lld\">", value_whole(item, "submission"));
    html_time(h, value_number(item, "time_ns"));
    html(h, "</a> on %s, ", value_text(item, "board"));
    html_ordinal(h, value_whole(change, "rank"));
    html(h, " of %lld", value_whole(change, "entries"));
    cJSON_ArrayForEach(other, value_at(item, "overtaken"))
    {
        html(h, "%s", first ? ", and has overtaken " : ", ");
        html_user(h, other, "user");
        first = false;
    }
    html(h, ". <span class=\"quiet\">");
    html_ago(h, value_number(item, "made_ms"));
    html(h, "</span></li>");
}

static void
feed_show(struct view *v)
{
    const cJSON *list = value_at(v->answer, "feed"), *item;
    struct html *h = &v->page;

    if (v->status != 200) {
        view_fail(v);
        return;
    }
    layout_begin(v, "Feed", SECTION_FEED, 0);
    html(h, "<h1>Feed</h1>");
    if (cJSON_GetArraySize(list) == 0)
        html(h, "<p>Nobody has improved a board yet.</p>");
    html(h, "<ul class=\"feed\">");
    cJSON_ArrayForEach(item, list) feed_item(v, item);
    html(h, "</ul>");
    if (v->followed != NULL)
        html(h,
             "<nav class=\"pages\" aria-label=\"Pages\"><a rel=\"next\" "
             "href=\"/feed?cursor=%s\">Older \u2192</a></nav>",
             v->followed);
    layout_end(v);
    view_send(v, 200);
}

void
page_feed(struct http_call *c)
{
    struct view *v = view_begin(c);

    view_set_query(v, "cursor", call_query(&v->call, "cursor"));
    view_ask(v, api_feed, feed_show);
}

/* --- a user ------------------------------------------------------------- */

#define DAY 11 /* the side of a day's square, with its gap */

static void
user_calendar(struct html *h, const cJSON *calendar)
{
    const cJSON *days = value_at(calendar, "accepted"), *day;
    int n = 0;

    if (cJSON_GetArraySize(days) == 0)
        return;
    html(h,
         "<figure class=\"calendar\"><svg viewBox=\"0 0 %d %d\" role=\"img\" "
         "aria-label=\"Accepted submissions of each day of the last year\">",
         (cJSON_GetArraySize(days) + 6) / 7 * DAY, 7 * DAY);
    cJSON_ArrayForEach(day, days)
    {
        const int count = (int)day->valuedouble;

        html(h,
             "<rect x=\"%d\" y=\"%d\" width=\"9\" height=\"9\" rx=\"2\" class=\"d%d\"/>",
             n / 7 * DAY, n % 7 * DAY,
             count >= 8   ? 3
             : count >= 3 ? 2
                          : count >= 1);
        n++;
    }
    html(h,
         "</svg><figcaption class=\"quiet\">Accepted submissions since %s, a square for "
         "each day (UTC)</figcaption></figure>",
         value_text(calendar, "from"));
}

static void
user_problems(struct html *h, const cJSON *problems)
{
    const cJSON *p, *place;

    html(h, "<h2>Solved problems</h2><div class=\"scroll\"><table><thead><tr>"
            "<th scope=\"col\">Problem</th><th scope=\"col\">Difficulty</th>"
            "<th scope=\"col\">Board</th><th scope=\"col\" class=\"number\">Rank</th>"
            "<th scope=\"col\" class=\"number\">Percentile</th>"
            "<th scope=\"col\" class=\"number\">Time</th></tr></thead><tbody>");
    cJSON_ArrayForEach(p, problems)
    {
        place = cJSON_GetArrayItem(value_at(p, "places"), 0);
        html(h, "<tr><th scope=\"row\">");
        html_problem_link(h, value_text(p, "problem"), value_text(p, "title"));
        html(h,
             "</th><td><span class=\"level %s\">%s</span></td><td>%s</td>"
             "<td class=\"number\">",
             value_text(p, "difficulty"), value_text(p, "difficulty"),
             value_text(place, "board"));
        if (place != NULL) {
            html_ordinal(h, value_whole(place, "rank"));
            html(h, " <span class=\"quiet\">of %lld</span>",
                 value_whole(place, "entries"));
        }
        html(h, "</td><td class=\"number\">");
        html_share(h, value_number(place, "percentile") / 100);
        html(h, "</td><td class=\"number\">");
        html_time(h, value_number(place, "time_ns"));
        html(h, "</td></tr>");
    }
    html(h, "</tbody></table></div>");
}

static void
user_show(struct view *v)
{
    const cJSON *u = v->answer, *solved = value_at(u, "solved"), *level;
    const cJSON *streak = value_at(u, "streak");
    struct html *h = &v->page;

    if (v->status != 200) {
        view_fail(v);
        return;
    }
    layout_begin(v, value_text(u, "user"), SECTION_NONE, 0);
    html(h, "<h1>%s", value_text(u, "user"));
    if (value_text(u, "display_name")[0] != '\0')
        html(h, " <bdi class=\"quiet\">%s</bdi>", value_text(u, "display_name"));
    html(h,
         "</h1><dl class=\"figures\"><div><dt>Solved</dt><dd>%lld <small>of %lld</small>"
         "</dd></div>",
         value_whole(solved, "count"), value_whole(solved, "of"));
    cJSON_ArrayForEach(level, value_at(solved, "difficulties"))
        html(h, "<div><dt>%s</dt><dd>%lld <small>of %lld</small></dd></div>",
             value_text(level, "name"), value_whole(level, "solved"),
             value_whole(level, "of"));
    html(h, "<div><dt>Streak</dt><dd>");
    html_plural(h, value_whole(streak, "days"), "day");
    html(h, " <small>longest %lld</small></dd></div></dl>",
         value_whole(streak, "longest"));
    user_calendar(h, value_at(u, "calendar"));
    user_problems(h, value_at(u, "problems"));
    html(h, "<p><a href=\"/submissions?user=");
    html_url(h, value_text(u, "user"));
    html(h, "\">All submissions of %s</a>", value_text(u, "user"));
    if (staff_is_staff(v)) {
        html(h, ", <a href=\"/staff/users/");
        html_url(h, value_text(u, "user"));
        html(h, "\">the account</a>");
    }
    html(h, "</p>");
    layout_end(v);
    view_send(v, 200);
}

void
page_user(struct http_call *c)
{
    struct view *v = view_begin(c);

    view_set_arg(v, 0, v->call.arg[0]);
    view_ask(v, api_user, user_show);
}
