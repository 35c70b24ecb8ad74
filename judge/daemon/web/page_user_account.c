/* One account, for the staff; changes of it, for admins. */
#include "daemon/api.h"
#include "daemon/web/action.h"
#include "daemon/web/layout.h"
#include "daemon/web/page_routes.h"
#include "daemon/web/quota_view.h"
#include "daemon/web/staff_view.h"
#include "daemon/web/values.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { PART_ACCOUNTS, PART_DONE, PART_SESSIONS, PART_QUOTA };

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
    staff_roles(h, value_text(account, "role"));
    html(h,
         "<label>State <select name=\"state\"><option>active</option>"
         "<option%s>closed</option></select></label>"
         "<p class=\"quiet\">Who is closed cannot sign in, and keeps what was sent.</p>"
         "<button class=\"first\">Change</button></form>",
         closed ? " selected" : "");
}

/* --- quotas ------------------------------------------------------------- */

/* What has been used of which quotas, and whose these are. */
static void
account_quota(struct view *v)
{
    const cJSON *answer = v->part[PART_QUOTA], *quota = value_at(answer, "quota");
    struct html *h = &v->page;

    html(h, "<h2>Quotas</h2>");
    if (quota != NULL)
        quota_view(h, quota);
    else
        html(h, "<p class=\"quiet\">Nothing limits what this account submits.</p>");
    if (!value_is_text(answer, "role", "member"))
        html(h, "<p class=\"quiet\">The staff and admins have no quota, but for tokens "
                "without the scope bulk.</p>");
}

static void
account_quota_field(struct view *v, const char *label, const char *name)
{
    const double own = value_number(value_at(v->part[PART_QUOTA], "own"), name);
    const double judge = value_number(value_at(v->part[PART_QUOTA], "judge"), name);
    const char *typed = form_value(&v->form, name);
    struct html *h = &v->page;

    html(h, "<label>%s <input name=\"%s\" inputmode=\"numeric\" size=\"8\" value=\"%s",
         label, name, typed);
    if (typed[0] == '\0' && !isnan(own))
        html(h, "%.0f", own);
    html(h, "\" placeholder=\"");
    if (isnan(judge))
        html(h, "no limit");
    else
        html(h, "%.0f", judge);
    html(h, "\"></label>");
}

static void
account_quota_form(struct view *v, const char *path)
{
    struct html *h = &v->page;

    action_form(v, "card", path, "quota");
    html(h, "<h2>Set its quotas</h2>");
    account_quota_field(v, "Submissions in an hour", "per_hour");
    account_quota_field(v, "In flight", "in_flight");
    account_quota_field(v, "Seconds of devices in a day", "device_seconds");
    html(h, "<p class=\"quiet\">Of an empty field the judge's quota counts, which it "
            "shows. 0 is no limit.</p><button>Set them</button></form>");
}

/* --- forms -------------------------------------------------------------- */

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
    account_quota_form(v, path);
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

/* Shows the account to the staff, and its forms to admins. */
static void
account_show(struct view *v)
{
    const cJSON *account = account_of(v), *done = v->part[PART_DONE];
    struct html *h = &v->page;
    char *path;

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
    if (value_is_text(account, "state", "unclaimed")) {
        html(h,
             "<p class=\"notice\">This name has submissions and no account. Invite it, "
             "or let an account take its work over.</p>");
    } else {
        html(h, "<p>%s, %s</p>", value_text(account, "role"),
             value_text(account, "state"));
        account_quota(v);
        if (staff_is_admin(v))
            account_forms(v, path, account);
    }
    free(path);
    layout_end(v);
    view_send(v, layout_status(v));
}

static void
account_take_sessions(struct view *v)
{
    v->part[PART_SESSIONS] = v->status == 200 ? v->answer : NULL;
    account_show(v);
}

/* Only admins are told the sessions. */
static void
account_take_quota(struct view *v)
{
    v->part[PART_QUOTA] = v->status == 200 ? v->answer : NULL;
    if (!staff_is_admin(v)) {
        account_show(v);
        return;
    }
    view_set_arg(v, 0, v->call.arg[0]);
    view_ask(v, api_account_sessions, account_take_sessions);
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
    view_ask(v, api_account_quota, account_take_quota);
}

static void
account_begin(struct view *v)
{
    view_set_query(v, "q", v->call.arg[0]);
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
account_prepare_quota(struct view *v, cJSON *body)
{
    action_number(v, body, "per_hour");
    action_number(v, body, "in_flight");
    action_number(v, body, "device_seconds");
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
        {"quota", api_set_account_quota, account_prepare_quota},
        {"reset", api_reset, account_prepare_reset},
        {"assign", api_assign, account_prepare_assign},
        {"delete", api_delete_account, account_prepare_delete}};

    action_take(view_begin(c), ACTIONS, sizeof ACTIONS / sizeof *ACTIONS, account_begin,
                account_done);
}
