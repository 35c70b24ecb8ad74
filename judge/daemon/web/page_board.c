/* The board of a problem, with its distribution. */
#include "daemon/api.h"
#include "daemon/web/histogram.h"
#include "daemon/web/layout.h"
#include "daemon/web/page_routes.h"
#include "daemon/web/values.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ROWS 50
#define ROWS_TEXT "50"

/* Is it the entry of who asks? */
static bool
board_is_own(const struct view *v, const cJSON *e)
{
    return v->call.who.name[0] != '\0' && value_is_text(e, "user", v->call.who.name);
}

/* The submission of who asks on this page of the board; 0: it is not there. */
static long long
board_own_submission(const struct view *v, const cJSON *entries)
{
    const cJSON *e;

    cJSON_ArrayForEach(e, entries)
    {
        if (board_is_own(v, e))
            return value_whole(e, "submission");
    }
    return 0;
}

/* Writes an entry. `mine` is what it can be compared with; 0: nothing. */
static void
board_entry(struct view *v, const cJSON *e, long long mine)
{
    struct html *h = &v->page;
    const bool own = board_is_own(v, e);
    const long long id = value_whole(e, "submission");
    const double low = value_number(e, "low_ns"), high = value_number(e, "high_ns");

    if (own)
        html(h, "<tr class=\"own\">");
    else
        html(h, "<tr>");
    html(h, "<td class=\"number\">%lld</td><th scope=\"row\">", value_whole(e, "rank"));
    html_user(h, e, "user");
    if (own)
        html(h, " <span class=\"tag\">you</span>");
    html(h, "</th><td class=\"number\">");
    html_time(h, value_number(e, "time_ns"));
    html(h, "</td><td class=\"number quiet\">");
    if (low < high) {
        html_time(h, low);
        html(h, " \u2013 ");
        html_time(h, high);
    }
    html(h, "</td><td class=\"number\">");
    html_share(h, value_number(e, "percentile") / 100);
    html(h, "</td><td class=\"number\">");
    html_rate(h, value_number(e, "bandwidth_gbs"));
    html(h, "</td><td class=\"number\">");
    html_rate(h, value_number(e, "gflops"));
    html(h, "</td><td class=\"number\">");
    html_share(h, value_number(e, "limit_share"));
    html(h, "</td><td class=\"number\">");
    if (mine != 0 && !own)
        html(h, "<a href=\"/compare?before=%lld&amp;after=%lld\">compare</a> \u00b7 ",
             mine, id);
    html(h, "<a href=\"/submissions/%lld\">%lld</a></td></tr>", id, id);
}

static void
board_table(struct view *v, const cJSON *board)
{
    const cJSON *entries = value_at(board, "entries"), *e;
    const long long mine = board_own_submission(v, entries);
    struct html *h = &v->page;

    html(h, "<div class=\"scroll\"><table class=\"board\"><thead><tr>"
            "<th scope=\"col\" class=\"number\">Rank</th><th scope=\"col\">User</th>"
            "<th scope=\"col\" class=\"number\">Time</th>"
            "<th scope=\"col\" class=\"number\">95\u00a0%% interval</th>"
            "<th scope=\"col\" class=\"number\">Percentile</th>"
            "<th scope=\"col\" class=\"number\">GB/s</th>"
            "<th scope=\"col\" class=\"number\">GFLOP/s</th>"
            "<th scope=\"col\" class=\"number\">Of limit</th>"
            "<th scope=\"col\" class=\"number\">Submission</th></tr></thead><tbody>");
    cJSON_ArrayForEach(e, entries) board_entry(v, e, mine);
    html(h, "</tbody></table></div><p class=\"quiet\">Entries whose times cannot be told "
            "apart share a rank.</p>");
}

/* What others took elsewhere, and the judge's own solutions. */
static void
board_company(struct html *h, const cJSON *board)
{
    const cJSON *house = value_at(board, "house"), *item;

    if (cJSON_GetArraySize(value_at(board, "baselines")) == 0 &&
        cJSON_GetArraySize(value_at(house, "marks")) == 0)
        return;
    html(h, "<section aria-labelledby=\"company\"><h2 id=\"company\">To compare with</h2>"
            "<p class=\"quiet\">These are no entries and take no rank.</p><ul>");
    cJSON_ArrayForEach(item, value_at(board, "baselines"))
    {
        html(h, "<li><b>%s</b> ", value_text(item, "name"));
        html_time(h, value_number(item, "time_ns"));
        html(h, " <span class=\"quiet\">%s, %s</span></li>", value_text(item, "versions"),
             value_text(item, "date"));
    }
    cJSON_ArrayForEach(item, value_at(house, "marks"))
    {
        html(h, "<li>");
        if (value_is_true(item, "beaten"))
            html(h, "step %lld, %s, which you have beaten: ", value_whole(item, "step"),
                 value_text(item, "name"));
        else
            html(h, "a step of the judge's own that you have not beaten yet: ");
        html_time(h, value_number(item, "time_ns"));
        html(h, "</li>");
    }
    html(h, "</ul></section>");
}

static void
board_older(struct view *v, const cJSON *board)
{
    struct html *h = &v->page;
    const cJSON *item;

    if (!value_is_true(board, "current")) {
        html(h, "<p class=\"notice\">This is a board of before the problem changed. <a "
                "href=\"/problems/");
        html_url(h, v->call.arg[0]);
        html(h, "/board\">Today's</a></p>");
    }
    if (cJSON_GetArraySize(value_at(board, "older")) == 0)
        return;
    html(h, "<p>Older boards:");
    cJSON_ArrayForEach(item, value_at(board, "older"))
    {
        html(h, " <a href=\"/problems/");
        html_url(h, v->call.arg[0]);
        html(h, "/board?device=");
        html_url(h, value_text(board, "board"));
        html(h, "&amp;meaning=");
        html_url(h, value_text(item, "meaning"));
        html(h, "\">%.*s</a> (%lld)", 8, value_text(item, "meaning"),
             value_whole(item, "entries"));
    }
    html(h, "</p>");
}

/* Links to the pages of the board, and to one's own place on it. */
static void
board_pages(struct view *v, const cJSON *board)
{
    const long long first = value_whole(board, "first"),
                    total = value_whole(board, "total");
    const long long page = (first - 1) / ROWS + 1;
    struct html path = {0};

    html(&path, "/problems/");
    html_url(&path, v->call.arg[0]);
    html(&path, "/board?device=");
    html_url(&path, value_text(board, "board"));
    if (!value_is_true(board, "current")) {
        html(&path, "&amp;meaning=");
        html_url(&path, value_text(board, "meaning"));
    }
    if (v->call.who.name[0] != '\0' && total > ROWS) {
        html(&v->page, "<p><a href=\"");
        html_join(&v->page, &path);
        html(&v->page, "&amp;around=");
        html_url(&v->page, v->call.who.name);
        html(&v->page, "\">Around you</a></p>");
    }
    html(&path, "&amp;");
    layout_pages(v, &path, page,
                 first - 1 + cJSON_GetArraySize(value_at(board, "entries")) < total);
    buf_free(&path.out);
}

static double
board_own_time(const struct view *v, const cJSON *board)
{
    const cJSON *e;

    cJSON_ArrayForEach(
        e,
        value_at(board,
                 "entries")) if (value_is_text(e, "user",
                                               v->call.who
                                                   .name)) return value_number(e,
                                                                               "time_ns");
    return (double)NAN;
}

static void
board_show(struct view *v)
{
    const cJSON *board = v->answer;
    struct html *h = &v->page;

    if (v->status != 200) {
        view_fail(v);
        return;
    }
    layout_begin(v, value_text(board, "title"), SECTION_PROBLEMS, 0);
    html(h, "<header class=\"head\"><h1>");
    html_problem_link(h, v->call.arg[0], value_text(board, "title"));
    html(h, ": the board</h1><p class=\"quiet\">%s, %s%s, ", value_text(board, "board"),
         value_text(board, "sizes"),
         value_is_true(board, "modelled") ? ", times are modelled, not measured" : "");
    html_plural(h, value_whole(board, "total"), "user");
    html(h, "</p></header>");
    if (value_text(board, "refused")[0] != '\0')
        html(h, "<p class=\"notice\">%s</p>", value_text(board, "refused"));
    board_older(v, board);
    if (cJSON_GetArraySize(value_at(board, "entries")) == 0) {
        html(h, "<p>Nobody is here. The first accepted submission is the first of "
                "all.</p>");
    } else {
        histogram_draw(h, board, board_own_time(v, board));
        board_table(v, board);
        board_pages(v, board);
    }
    board_company(h, board);
    layout_end(v);
    view_send(v, 200);
}

void
page_board(struct http_call *c)
{
    struct view *v = view_begin(c);
    const char *around = call_query(&v->call, "around");
    const char *page = call_query(&v->call, "page");

    view_set_arg(v, 0, v->call.arg[0]);
    view_set_query(v, "device", call_query(&v->call, "device"));
    view_set_query(v, "meaning", call_query(&v->call, "meaning"));
    view_set_query(v, "around", around);
    view_set_query(v, "page", around == NULL && page == NULL ? "1" : page);
    view_set_query(v, "limit", ROWS_TEXT);
    view_ask(v, api_board, board_show);
}
