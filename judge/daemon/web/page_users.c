/* The list of accounts, for the staff; invitations, for admins. */
#include "daemon/api.h"
#include "daemon/web/action.h"
#include "daemon/web/layout.h"
#include "daemon/web/page_routes.h"
#include "daemon/web/staff_view.h"
#include "daemon/web/values.h"

#define ROWS_TEXT "100"

enum { PART_ACCOUNTS, PART_DONE };

/* --- the list ----------------------------------------------------------- */

static void
users_link(struct view *v, const cJSON *account)
{
    struct html *h = &v->page;

    html(h, "<a href=\"/staff/users/");
    html_url(h, value_text(account, "name"));
    html(h, "\">%s</a>", value_text(account, "name"));
}

static void
users_row(struct view *v, const cJSON *account)
{
    const bool closed = value_is_text(account, "state", "closed");
    struct html *h = &v->page;

    html(h, "<tr><th scope=\"row\">");
    users_link(v, account);
    html(h, "</th><td>%s</td><td class=\"%s\">%s</td><td class=\"number\">%lld</td><td>",
         value_text(account, "role"), closed ? "bad" : "", value_text(account, "state"),
         value_whole(account, "submissions"));
    html_ago(h, value_number(account, "seen_ms"));
    html(h, "</td><td class=\"quiet\">");
    html_ago(h, value_number(account, "created_ms"));
    html(h, "</td></tr>");
}

static void
users_table(struct view *v)
{
    const char *word = call_query(&v->call, "q");
    const cJSON *list = value_at(v->part[PART_ACCOUNTS], "accounts"), *account;
    struct html *h = &v->page;

    html(h,
         "<form class=\"filter\" action=\"/staff/users\"><label>Part of the name <input "
         "name=\"q\" type=\"search\" value=\"%s\"></label><button>Show</button></form>",
         word != NULL ? word : "");
    html(h, "<div class=\"scroll\"><table><thead><tr><th scope=\"col\">Name</th>"
            "<th scope=\"col\">Role</th><th scope=\"col\">State</th>"
            "<th scope=\"col\" class=\"number\">Submissions</th>"
            "<th scope=\"col\">Seen</th><th scope=\"col\">Made</th></tr></thead><tbody>");
    cJSON_ArrayForEach(account, list) users_row(v, account);
    html(h, "</tbody></table></div><p class=\"quiet\">");
    html_plural(h, cJSON_GetArraySize(list), "name");
    html(h, "%s</p>", v->followed != NULL ? ", and more follow" : "");
    if (v->followed != NULL) {
        html(h, "<nav class=\"pages\" aria-label=\"Pages\"><a rel=\"next\" "
                "href=\"/staff/users?q=");
        html_url(h, word != NULL ? word : "");
        html(h, "&amp;cursor=%s\">Next \u2192</a></nav>", v->followed);
    }
}

static void
users_invite(struct view *v)
{
    struct html *h = &v->page;

    action_form(v, "card", "/staff/users", "invite");
    html(h,
         "<h2>Invite somebody</h2><label>Name, if only that one may be taken <input "
         "name=\"name\" autocomplete=\"off\" value=\"%s\"></label>",
         form_value(&v->form, "name"));
    staff_roles(h, "member");
    html(h, "<label>Days <input name=\"days\" inputmode=\"numeric\" size=\"4\" "
            "value=\"7\"></label><button class=\"first\">Invite</button></form>");
}

static void
users_invitation(struct view *v)
{
    const cJSON *done = v->part[PART_DONE];
    struct html *h = &v->page;

    if (done == NULL)
        return;
    html(h,
         "<p class=\"notice\" role=\"status\">This invitation is not shown again. It is "
         "good until ");
    html_moment(h, value_number(done, "expires_ms"));
    html(h, ": <a href=\"/join?invitation=");
    html_url(h, value_text(done, "invitation"));
    html(h, "\">link to join</a> <code>%s</code></p>", value_text(done, "invitation"));
}

static void
users_show(struct view *v)
{
    if (v->status != 200) {
        view_fail(v);
        return;
    }
    v->part[PART_ACCOUNTS] = v->answer;
    staff_head(v, STAFF_USERS, "Users");
    users_invitation(v);
    users_table(v);
    if (staff_is_admin(v))
        users_invite(v);
    layout_end(v);
    view_send(v, layout_status(v));
}

static void
users_begin(struct view *v)
{
    view_set_query(v, "q", call_query(&v->call, "q"));
    view_set_query(v, "cursor", call_query(&v->call, "cursor"));
    view_set_query(v, "limit", ROWS_TEXT);
    view_ask(v, api_accounts, users_show);
}

void
page_users(struct http_call *c)
{
    users_begin(view_begin(c));
}

static bool
users_prepare_invite(struct view *v, cJSON *body)
{
    action_text(v, body, "name");
    action_text(v, body, "role");
    action_number(v, body, "days");
    return true;
}

static void
users_done(struct view *v)
{
    v->part[PART_DONE] = v->answer;
    users_begin(v);
}

void
page_change_users(struct http_call *c)
{
    static const struct action ACTIONS[] = {{"invite", api_invite, users_prepare_invite}};

    action_take(view_begin(c), ACTIONS, sizeof ACTIONS / sizeof *ACTIONS, users_begin,
                users_done);
}
