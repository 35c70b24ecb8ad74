/* Grades: a table for each assignment, with a row for each member and a column for each
 * problem. */
#include "daemon/api.h"
#include "daemon/web/clock.h"
#include "daemon/web/group_view.h"
#include "daemon/web/layout.h"
#include "daemon/web/page_routes.h"
#include "daemon/web/values.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROWS_A_STEP 40
#define OTHERS_A_STEP 200

/* A table's first grade, and that of its next row; of what belongs to no assignment the
 * next grade to look at, and the first that was written. */
enum { PART_TABLE, PART_ROW, PART_NEXT, PART_OTHER };

/* --- cells -------------------------------------------------------------- */

static void
grades_equal(struct html *h, const cJSON *grade)
{
    const cJSON *equal;
    bool first = true;

    cJSON_ArrayForEach(equal, value_at(grade, "equal_to"))
    {
        if (first)
            html(h, " <small class=\"bad\">equal to ");
        else
            html(h, ", ");
        html(h, "%s", value_text(equal, "user"));
        if (value_is_text(equal, "kind", "ptx"))
            html(h, " (PTX)");
        first = false;
    }
    if (!first)
        html(h, "</small>");
}

static void
grades_verdict(struct html *h, const cJSON *grade)
{
    if (value_text(grade, "verdict")[0] == '\0') {
        html(h, "<span class=\"quiet\">\u2013 <span class=\"away\">nothing sent</span>"
                "</span>");
        return;
    }
    html_verdict(h, value_text(grade, "verdict"));
    if (value_whole(grade, "submission") > 0) {
        html(h, " <a href=\"/submissions/%lld\">", value_whole(grade, "submission"));
        html_time(h, value_number(grade, "time_ns"));
        html(h, "</a>");
    }
    if (value_is_true(grade, "late"))
        html(h, " <small class=\"neither\">late</small>");
    html(h, " <small>");
    html_plural(h, value_whole(grade, "attempts"), "attempt");
    html(h, "</small>");
    grades_equal(h, grade);
}

/* --- a table for an assignment ------------------------------------------ */

static bool
grades_is_of(const cJSON *grade, const char *assignment)
{
    return value_is_text(grade, "assignment", assignment);
}

static bool
grades_is_whose(const cJSON *grade, const char *user)
{
    return value_is_text(grade, "user", user);
}

/* The last grade of one cell: a member's grades for a problem follow each other, one for
 * each board. */
static const cJSON *
grades_cell_end(const cJSON *g)
{
    const cJSON *end = g;

    while (end->next != NULL && grades_is_whose(end->next, value_text(g, "user")) &&
           grades_is_of(end->next, value_text(g, "assignment")) &&
           value_is_text(end->next, "problem", value_text(g, "problem")))
        end = end->next;
    return end;
}

/* Writes the heads: the problems of the first member, which all others have, too. */
static void
grades_heads(struct view *v, const cJSON *first)
{
    const char *user = value_text(first, "user");
    const char *assignment = value_text(first, "assignment");
    struct html *h = &v->page;

    html(h, "<tr><th scope=\"col\">User</th><th scope=\"col\">Full name</th>"
            "<th scope=\"col\" class=\"number\">Solved</th>");
    for (const cJSON *g = first;
         g != NULL && grades_is_whose(g, user) && grades_is_of(g, assignment);
         g = grades_cell_end(g)->next) {
        html(h, "<th scope=\"col\">");
        html_problem_link(h, value_text(g, "problem"),
                          layout_title(v, value_text(g, "problem")));
        html(h, "</th>");
    }
    html(h, "</tr>");
}

/* Writes the grades of a cell. Each has its board where there are several. */
static void
grades_cell(struct html *h, const cJSON *first, const cJSON *last)
{
    html(h, "<td>");
    for (const cJSON *g = first; g != last->next; g = g->next) {
        html(h, "<div>");
        grades_verdict(h, g);
        if (first != last)
            html(h, " <small class=\"quiet\">%s</small>", value_text(g, "board"));
        html(h, "</div>");
    }
    html(h, "</td>");
}

/* Counts a member's problems of an assignment, and those that are solved on a board. */
static void
grades_count(const cJSON *first, const char *assignment, int *solved, int *of)
{
    const char *user = value_text(first, "user");
    const cJSON *last;

    *solved = *of = 0;
    for (const cJSON *g = first;
         g != NULL && grades_is_whose(g, user) && grades_is_of(g, assignment);
         g = last->next) {
        bool accepted = false;

        last = grades_cell_end(g);
        for (const cJSON *each = g; each != last->next; each = each->next)
            accepted = accepted || value_is_text(each, "verdict", "accepted");
        *of += 1;
        *solved += accepted;
    }
}

/* Writes the row of the member whose grades begin at `first`. Returns the first grade
 * behind the member's. */
static const cJSON *
grades_row(struct html *h, const cJSON *first, const char *assignment)
{
    const char *user = value_text(first, "user");
    const cJSON *g = first, *last;
    int solved, of;

    while (g != NULL && grades_is_whose(g, user) && !grades_is_of(g, assignment))
        g = g->next;
    if (g == NULL || !grades_is_whose(g, user))
        return g;
    grades_count(g, assignment, &solved, &of);
    html(h, "<tr><th scope=\"row\">");
    html_user(h, first, "user");
    html(h, "</th><td>%s</td><td class=\"number\">%d <small>of %d</small></td>",
         value_text(first, "full_name"), solved, of);
    for (; g != NULL && grades_is_whose(g, user) && grades_is_of(g, assignment);
         g = last->next) {
        last = grades_cell_end(g);
        grades_cell(h, g, last);
    }
    html(h, "</tr>");
    while (g != NULL && grades_is_whose(g, user))
        g = g->next;
    return g;
}

static void
grades_table_begin(struct view *v, const cJSON *first)
{
    struct html *h = &v->page;

    html(h, "<h2>%s</h2><p class=\"quiet\">It closes ", value_text(first, "assignment"));
    html_moment(h, value_number(first, "closes_ms"));
    html(h, ".</p><div class=\"scroll\"><table class=\"grades\"><thead>");
    grades_heads(v, first);
    html(h, "</thead><tbody>");
}

/* The first grade of the next assignment. The first member has all of them, one after the
 * other. NULL: there is none. */
static const cJSON *
grades_next_assignment(const cJSON *first)
{
    const cJSON *g = first;

    while (g != NULL && grades_is_of(g, value_text(first, "assignment")))
        g = g->next;
    return g != NULL && grades_is_whose(g, value_text(first, "user")) &&
                   value_text(g, "assignment")[0] != '\0'
               ? g
               : NULL;
}

/* --- what belongs to no assignment -------------------------------------- */

static void
grades_other_row(struct view *v, const cJSON *g)
{
    struct html *h = &v->page;

    html(h, "<tr><th scope=\"row\">");
    html_user(h, g, "user");
    html(h, "</th><td>%s</td><td>", value_text(g, "full_name"));
    html_problem_link(h, value_text(g, "problem"),
                      layout_title(v, value_text(g, "problem")));
    html(h, "</td><td>%s</td><td>", value_text(g, "board"));
    grades_verdict(h, g);
    html(h, "</td></tr>");
}

/* Writes some of them, and goes on in a later step. There may be tens of thousands. */
static void
grades_others(struct view *v)
{
    const cJSON *g = v->part[PART_NEXT];

    for (int i = 0; g != NULL && i < OTHERS_A_STEP; i++, g = g->next) {
        if (value_text(g, "assignment")[0] != '\0')
            continue;
        if (v->part[PART_OTHER] == NULL) {
            html(&v->page,
                 "<h2>Without an assignment</h2><div class=\"scroll\"><table><thead>"
                 "<tr><th scope=\"col\">User</th><th scope=\"col\">Full name</th>"
                 "<th scope=\"col\">Problem</th><th scope=\"col\">Board</th>"
                 "<th scope=\"col\">Result</th></tr></thead><tbody>");
            v->part[PART_OTHER] = g;
        }
        grades_other_row(v, g);
    }
    v->part[PART_NEXT] = g;
    if (g != NULL) {
        view_later(v, grades_others);
        return;
    }
    if (v->part[PART_OTHER] != NULL)
        html(&v->page, "</tbody></table></div>");
    layout_end(v);
    view_send(v, 200);
}

/* --- the pages ---------------------------------------------------------- */

/* What the tables count until, and the form that changes it. */
static void
grades_until(struct view *v, const char *path)
{
    const char *until = call_query(&v->call, "until");
    struct html *h = &v->page;

    html(h,
         "<form class=\"filter\" action=\"%s\"><label>What was sent until "
         "<span class=\"zone\">(%s)</span> <input type=\"datetime-local\" name=\"until\" "
         "value=\"%s\"></label><button>Show</button></form><p class=\"quiet\">As of ",
         path, clock_zone(), until != NULL ? until : "");
    html_moment(h, value_number(v->answer, "until_ms"));
    html(h, ". The command line exports this as CSV.</p>");
}

/* Writes some rows of the table, and goes on with it or with the next one in a later
 * step: a class has tens of thousands of cells. */
static void
grades_go_on(struct view *v)
{
    const cJSON *list = value_at(v->answer, "grades");
    const cJSON *table = v->part[PART_TABLE], *row = v->part[PART_ROW];

    if (table == NULL) {
        v->part[PART_NEXT] = list != NULL ? list->child : NULL;
        grades_others(v);
        return;
    }
    if (row == NULL) {
        grades_table_begin(v, table);
        row = list->child;
    }
    for (int i = 0; row != NULL && i < ROWS_A_STEP; i++)
        row = grades_row(&v->page, row, value_text(table, "assignment"));
    v->part[PART_ROW] = row;
    if (row == NULL) {
        html(&v->page, "</tbody></table></div>");
        v->part[PART_TABLE] = grades_next_assignment(table);
    }
    view_later(v, grades_go_on);
}

static void
grades_tables(struct view *v)
{
    const cJSON *first = cJSON_GetArrayItem(value_at(v->answer, "grades"), 0);

    if (first == NULL)
        html(&v->page, "<p>There is nothing to grade yet.</p>");
    v->part[PART_TABLE] = value_text(first, "assignment")[0] != '\0' ? first : NULL;
    grades_go_on(v);
}

static void
grades_of_group_show(struct view *v)
{
    char *path;

    if (v->status != 200) {
        view_fail(v);
        return;
    }
    path = group_path(v, "/grades");
    group_head(v, GROUP_GRADES, true);
    grades_until(v, path);
    free(path);
    grades_tables(v);
}

static void
grades_of_all_show(struct view *v)
{
    if (v->status != 200) {
        view_fail(v);
        return;
    }
    layout_begin(v, "Grades", SECTION_STAFF, 0);
    html(&v->page,
         "<header class=\"head\"><p class=\"quiet\"><a href=\"/staff\">Staff</a>"
         "</p><h1>Grades of everybody</h1></header>");
    grades_until(v, "/staff/grades");
    grades_tables(v);
}

/* Asks for the grades, until a moment that the query may have. */
static void
grades_ask(struct view *v, void (*call)(struct http_call *c), view_step *then)
{
    const char *until = call_query(&v->call, "until");
    struct report r = {0};
    char text[24];
    int64_t ms;

    if (until != NULL && until[0] != '\0') {
        if (clock_moment(until, &ms, &r) != 0) {
            report_prefix(&r, "until");
            view_refuse(v, 400, r.text);
            return;
        }
        snprintf(text, sizeof text, "%lld", (long long)ms);
        view_set_query(v, "until", text);
    }
    view_ask(v, call, then);
}

void
page_grades(struct http_call *c)
{
    struct view *v = view_begin(c);

    view_set_arg(v, 0, v->call.arg[0]);
    grades_ask(v, api_group_grades, grades_of_group_show);
}

void
page_all_grades(struct http_call *c)
{
    grades_ask(view_begin(c), api_grades, grades_of_all_show);
}
