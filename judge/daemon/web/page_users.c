/* Accounts, for the staff; changes of them, for admins. */
#include "daemon/api.h"
#include "daemon/web/action.h"
#include "daemon/web/layout.h"
#include "daemon/web/page_routes.h"
#include "daemon/web/staff_view.h"
#include "daemon/web/values.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { PART_ACCOUNTS, PART_DONE, PART_SESSIONS };

/* --- the list ----------------------------------------------------------- */

static void
users_link(struct view *v, const cJSON *account)
{
    struct html *h = &v->page;

    html(h, "<a href=\"%s", staff_is_admin(v) ? "/staff/users/" : "/users/");
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
    const cJSON *account;
    struct html *h = &v->page;
    int shown = 0;

    html(h,
         "<form class=\"filter\" action=\"/staff/users\"><label>Part of the name <input "
         "name=\"q\" type=\"search\" value=\"%s\"></label><button>Show</button></form>",
         word != NULL ? word : "");
    html(h, "<div class=\"scroll\"><table><thead><tr><th scope=\"col\">Name</th>"
            "<th scope=\"col\">Role</th><th scope=\"col\">State</th>"
            "<th scope=\"col\" class=\"number\">Submissions</th>"
            "<th scope=\"col\">Seen</th><th scope=\"col\">Made</th></tr></thead><tbody>");
    cJSON_ArrayForEach(account, value_at(v->part[PART_ACCOUNTS], "accounts"))
    {
        if (word != NULL && strcasestr(value_text(account, "name"), word) == NULL)
            continue;
        users_row(v, account);
        shown++;
    }
    html(h, "</tbody></table></div><p class=\"quiet\">");
    html_plural(h, shown, "name");
    html(h, "</p>");
}

static void
users_roles(struct html *h, const char *chosen)
{
    static const char *const ROLES[] = {"member", "staff", "admin"};

    html(h, "<label>Role <select name=\"role\">");
    for (size_t i = 0; i < sizeof ROLES / sizeof *ROLES; i++)
        html(h, "<option%s>%s</option>", strcmp(ROLES[i], chosen) == 0 ? " selected" : "",
             ROLES[i]);
    html(h, "</select></label>");
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
    users_roles(h, "member");
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

/* --- one account -------------------------------------------------------- */

/* The address of the account's page, as it stands in an attribute. The caller frees. */
static char *
account_path(const struct view *v)
{
    struct html path = {0};

    html(&path, "/staff/users/");
    html_url(&path, v->call.arg[0]);
    return buf_take(&path.out);
}

static const cJSON *
account_of(const struct view *v)
{
    const cJSON *account;

    cJSON_ArrayForEach(account,
                       value_at(v->part[PART_ACCOUNTS],
                                "accounts")) if (strcasecmp(value_text(account, "name"),
                                                            v->call.arg[0]) ==
                                                 0) return account;
    return NULL;
}

static void
account_change_form(struct view *v, const char *path, const cJSON *account)
{
    const bool closed = value_is_text(account, "state", "closed");
    struct html *h = &v->page;

    action_form(v, "card", path, "change");
    html(h, "<h2>Role and state</h2>");
    users_roles(h, value_text(account, "role"));
    html(h,
         "<label>State <select name=\"state\"><option>active</option>"
         "<option%s>closed</option></select></label>"
         "<p class=\"quiet\">Who is closed cannot sign in, and keeps what was sent.</p>"
         "<button class=\"first\">Change</button></form>",
         closed ? " selected" : "");
}

static void
account_sessions(struct view *v, const char *path)
{
    const cJSON *list = value_at(v->part[PART_SESSIONS], "sessions"), *session;
    struct html *h = &v->page;

    html(h, "<section class=\"card\"><h2>Sessions</h2>");
    if (cJSON_GetArraySize(list) == 0) {
        html(h, "<p class=\"quiet\">None.</p></section>");
        return;
    }
    html(h, "<ul>");
    cJSON_ArrayForEach(session, list)
    {
        html(h, "<li>%s <small>used ", value_text(session, "label"));
        html_ago(h, value_number(session, "used_ms"));
        html(h, "</small></li>");
    }
    html(h, "</ul>");
    action_form(v, "inline", path, "sign-out");
    html(h, "<button>Sign out everywhere</button></form></section>");
}

static void
account_forms(struct view *v, const char *path, const cJSON *account)
{
    struct html *h = &v->page;

    html(h, "<div class=\"cards\">");
    account_change_form(v, path, account);
    account_sessions(v, path);
    action_form(v, "card", path, "reset");
    html(h, "<h2>Reset the password</h2><p class=\"quiet\">You get a code. With it a new "
            "password can be chosen, once.</p><label>Hours <input name=\"hours\" "
            "inputmode=\"numeric\" size=\"4\" value=\"24\"></label>"
            "<button>Make a code</button></form>");
    action_form(v, "card", path, "assign");
    html(h,
         "<h2>Take over a name's work</h2><p class=\"quiet\">What was sent under a name "
         "that nobody has claimed becomes this account's.</p><label>Unclaimed name "
         "<input name=\"from\" required value=\"%s\"></label><button>Take it over"
         "</button></form>",
         form_value(&v->form, "from"));
    html(h, "</div><details><summary>Delete this account</summary>");
    action_form(v, "card", path, "delete");
    html(h,
         "<p>Its name and sources go. Nobody can bring it back.</p><label>Type its name, "
         "%s <input name=\"name\" autocomplete=\"off\" required></label><button>Delete it"
         "</button></form></details>",
         value_text(account, "name"));
}

static void
account_show(struct view *v)
{
    const cJSON *account = account_of(v), *done = v->part[PART_DONE];
    struct html *h = &v->page;
    char *path;

    v->part[PART_SESSIONS] = v->status == 200 ? v->answer : NULL;
    if (account == NULL) {
        view_refuse(v, 404, "There is no account of this name.");
        return;
    }
    path = account_path(v);
    staff_head(v, STAFF_NO_TAB, value_text(account, "name"));
    if (done != NULL) {
        html(h,
             "<p class=\"notice\" role=\"status\">The code is <code>%s</code>. It is not "
             "shown again, and good until ",
             value_text(done, "code"));
        html_moment(h, value_number(done, "expires_ms"));
        html(h, ".</p>");
    }
    html(h, "<p><a href=\"/users/");
    html_url(h, value_text(account, "name"));
    html(h, "\">What the user has solved</a>, <a href=\"/submissions?user=");
    html_url(h, value_text(account, "name"));
    html(h, "\">");
    html_plural(h, value_whole(account, "submissions"), "submission");
    html(h, "</a></p>");
    if (value_is_text(account, "state", "unclaimed"))
        html(h,
             "<p class=\"notice\">This name has submissions and no account. Invite it, "
             "or let an account take its work over.</p>");
    else
        account_forms(v, path, account);
    free(path);
    layout_end(v);
    view_send(v, layout_status(v));
}

static void
account_take(struct view *v)
{
    if (v->status != 200) {
        view_fail(v);
        return;
    }
    v->part[PART_ACCOUNTS] = v->answer;
    view_set_arg(v, 0, v->call.arg[0]);
    view_ask(v, api_account_sessions, account_show);
}

static void
account_begin(struct view *v)
{
    view_ask(v, api_accounts, account_take);
}

void
page_user_account(struct http_call *c)
{
    account_begin(view_begin(c));
}

static bool
account_prepare_change(struct view *v, cJSON *body)
{
    action_text(v, body, "role");
    action_text(v, body, "state");
    return true;
}

static bool
account_prepare_sign_out(struct view *v, cJSON *body)
{
    (void)body;
    view_set_arg(v, 1, "all");
    return true;
}

static bool
account_prepare_reset(struct view *v, cJSON *body)
{
    action_number(v, body, "hours");
    return true;
}

static bool
account_prepare_assign(struct view *v, cJSON *body)
{
    action_text(v, body, "from");
    return true;
}

static bool
account_prepare_delete(struct view *v, cJSON *body)
{
    (void)body;
    view_set_query(v, "name", form_value(&v->form, "name"));
    return true;
}

static void
account_done(struct view *v)
{
    const char *action = form_value(&v->form, "do");
    char *path;

    if (strcmp(action, "reset") == 0) {
        v->part[PART_DONE] = v->answer;
        account_begin(v);
        return;
    }
    path = strcmp(action, "delete") == 0 ? xstrdup("/staff/users") : account_path(v);
    view_go(v, path);
    free(path);
}

void
page_change_user_account(struct http_call *c)
{
    static const struct action ACTIONS[] = {
        {"change", api_change_account, account_prepare_change},
        {"sign-out", api_end_account_session, account_prepare_sign_out},
        {"reset", api_reset, account_prepare_reset},
        {"assign", api_assign, account_prepare_assign},
        {"delete", api_delete_account, account_prepare_delete}};

    action_take(view_begin(c), ACTIONS, sizeof ACTIONS / sizeof *ACTIONS, account_begin,
                account_done);
}
