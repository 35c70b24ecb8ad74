/* One's own account: its name for people, password, sessions, tokens and quotas. */
#include "daemon/api.h"
#include "daemon/web/action.h"
#include "daemon/web/layout.h"
#include "daemon/web/page_routes.h"
#include "daemon/web/quota_view.h"
#include "daemon/web/values.h"

#include <math.h>
#include <string.h>

#define PATH "/account"

enum { PART_ACCOUNT, PART_SESSIONS, PART_TOKENS, PART_DONE };

/* --- sessions and tokens ------------------------------------------------ */

/* A button that ends a session or revokes a token. */
static void
own_end(struct view *v, const char *action, const cJSON *row, const char *words)
{
    action_form(v, "inline", PATH, action);
    html(&v->page,
         "<input type=\"hidden\" name=\"id\" value=\"%lld\"><button class=\"plain\">%s "
         "<span class=\"away\">%s</span></button></form>",
         value_whole(row, "id"), words, value_text(row, "label"));
}

static void
own_sessions(struct view *v)
{
    const cJSON *list = value_at(v->part[PART_SESSIONS], "sessions"), *row;
    struct html *h = &v->page;

    html(h, "<h2>Sessions</h2><div class=\"scroll\"><table><thead><tr>"
            "<th scope=\"col\">Browser</th><th scope=\"col\">Begun</th>"
            "<th scope=\"col\">Used</th><th scope=\"col\">Ends</th>"
            "<th scope=\"col\"><span class=\"away\">Change</span></th></tr></thead>"
            "<tbody>");
    cJSON_ArrayForEach(row, list)
    {
        html(h, "<tr><th scope=\"row\">%s%s</th><td>", value_text(row, "label"),
             value_is_true(row, "this") ? " (this one)" : "");
        html_ago(h, value_number(row, "created_ms"));
        html(h, "</td><td>");
        html_ago(h, value_number(row, "used_ms"));
        html(h, "</td><td>");
        html_moment(h, value_number(row, "expires_ms"));
        html(h, "</td><td>");
        own_end(v, "end", row, "Sign out");
        html(h, "</td></tr>");
    }
    html(h, "</tbody></table></div>");
    action_form(v, "inline", PATH, "end-all");
    html(h, "<button>Sign out everywhere</button></form>");
}

static void
own_tokens(struct view *v)
{
    const cJSON *list = value_at(v->part[PART_TOKENS], "tokens"), *row, *scope;
    struct html *h = &v->page;

    html(h, "<h2>Tokens</h2>");
    if (cJSON_GetArraySize(list) == 0) {
        html(h,
             "<p class=\"quiet\">None. Terminals and programs sign in by a token.</p>");
        return;
    }
    html(h, "<div class=\"scroll\"><table><thead><tr>"
            "<th scope=\"col\">Label</th><th scope=\"col\">Scopes</th>"
            "<th scope=\"col\">Made</th><th scope=\"col\">Used</th>"
            "<th scope=\"col\">Expires</th>"
            "<th scope=\"col\"><span class=\"away\">Change</span></th></tr></thead>"
            "<tbody>");
    cJSON_ArrayForEach(row, list)
    {
        html(h, "<tr><th scope=\"row\">%s</th><td>",
             value_text(row, "label")[0] != '\0' ? value_text(row, "label") : "unnamed");
        cJSON_ArrayForEach(scope, value_at(row, "scopes"))
            html(h, "%s ", cJSON_IsString(scope) ? scope->valuestring : "");
        cJSON_ArrayForEach(scope, value_at(row, "roles"))
            html(h, "(%s) ", cJSON_IsString(scope) ? scope->valuestring : "");
        html(h, "</td><td>");
        html_ago(h, value_number(row, "created_ms"));
        html(h, "</td><td>");
        html_ago(h, value_number(row, "used_ms"));
        html(h, "</td><td>");
        if (isnan(value_number(row, "expires_ms")))
            html(h, "never");
        html_moment(h, value_number(row, "expires_ms"));
        html(h, "</td><td>");
        own_end(v, "revoke", row, "Revoke");
        html(h, "</td></tr>");
    }
    html(h, "</tbody></table></div>");
}

/* --- forms -------------------------------------------------------------- */

static void
own_forms(struct view *v)
{
    const cJSON *account = v->part[PART_ACCOUNT];
    struct html *h = &v->page;

    html(h, "<div class=\"cards\">");
    action_form(v, "card", PATH, "token");
    html(h, "<h2>A new token</h2><label>Label <input name=\"label\" maxlength=\"64\">"
            "</label><label>May <select name=\"scopes\">"
            "<option value=\"read,submit\">read and submit</option>"
            "<option value=\"read\">read</option></select></label>"
            "<label>Days <input name=\"days\" inputmode=\"numeric\" size=\"4\" "
            "value=\"90\"></label><button>Make it</button></form>");
    action_form(v, "card", PATH, "name");
    html(h,
         "<h2>Display name</h2><label>It stands beside your name <input "
         "name=\"display_name\" maxlength=\"64\" value=\"%s\"></label>"
         "<button>Change it</button></form>",
         value_text(account, "display_name"));
    action_form(v, "card", PATH, "password");
    html(h, "<h2>Password</h2>");
    if (value_is_true(account, "password"))
        html(h, "<label>The one of now <input name=\"current\" type=\"password\" "
                "autocomplete=\"current-password\" required></label>");
    html(h, "<label>A new one, of at least 10 characters <input name=\"password\" "
            "type=\"password\" minlength=\"10\" autocomplete=\"new-password\" required>"
            "</label><p class=\"quiet\">Your other sessions end.</p>"
            "<button>Change it</button></form></div>");
}

/* --- the page ----------------------------------------------------------- */

static void
own_show(struct view *v)
{
    const cJSON *done = v->part[PART_DONE];
    const cJSON *quota = value_at(v->part[PART_ACCOUNT], "quota");
    struct html *h = &v->page;

    v->part[PART_TOKENS] = v->status == 200 ? v->answer : NULL;
    layout_begin(v, "Your account", SECTION_NONE, 0);
    html(h,
         "<header class=\"head\"><h1>Your account</h1><p class=\"quiet\">%s, %s, "
         "<a href=\"/users/",
         v->call.who.name, value_text(v->part[PART_ACCOUNT], "role"));
    html_url(h, v->call.who.name);
    html(h, "\">your page</a></p></header>");
    if (done != NULL)
        html(
            h,
            "<p class=\"notice\" role=\"status\">The token is <code>%s</code>. It is not "
            "shown again.</p>",
            value_text(done, "token"));
    if (quota != NULL)
        quota_view(h, quota);
    else
        html(h, "<p class=\"quiet\">You have no quota.</p>");
    own_sessions(v);
    own_tokens(v);
    own_forms(v);
    layout_end(v);
    view_send(v, layout_status(v));
}

static void
own_take_sessions(struct view *v)
{
    if (v->status != 200) {
        view_fail(v);
        return;
    }
    v->part[PART_SESSIONS] = v->answer;
    view_ask(v, api_tokens, own_show);
}

static void
own_take_account(struct view *v)
{
    if (v->status != 200) {
        view_fail(v);
        return;
    }
    v->part[PART_ACCOUNT] = v->answer;
    view_ask(v, api_sessions, own_take_sessions);
}

static void
own_begin(struct view *v)
{
    view_ask(v, api_whoami, own_take_account);
}

void
page_own_account(struct http_call *c)
{
    own_begin(view_begin(c));
}

/* --- changes ------------------------------------------------------------ */

static bool
own_prepare_id(struct view *v, cJSON *body)
{
    (void)body;
    action_arg_field(v, "id");
    return true;
}

static bool
own_prepare_all(struct view *v, cJSON *body)
{
    (void)body;
    view_set_arg(v, 0, "all");
    return true;
}

static bool
own_prepare_token(struct view *v, cJSON *body)
{
    action_text(v, body, "label");
    action_text(v, body, "scopes");
    action_number(v, body, "days");
    return true;
}

/* An empty name takes the old one away, so that it is sent as well. */
static bool
own_prepare_name(struct view *v, cJSON *body)
{
    cJSON_AddStringToObject(body, "display_name", form_value(&v->form, "display_name"));
    return true;
}

static bool
own_prepare_password(struct view *v, cJSON *body)
{
    action_text(v, body, "current");
    action_text(v, body, "password");
    return true;
}

/* Signing out everywhere ends this session, too, so that the sign-in comes next. */
static void
own_done(struct view *v)
{
    const char *action = form_value(&v->form, "do");

    if (strcmp(action, "token") == 0) {
        v->part[PART_DONE] = v->answer;
        own_begin(v);
    } else {
        view_go(v, strcmp(action, "end-all") == 0 ? "/sign-in" : PATH);
    }
}

void
page_change_own_account(struct http_call *c)
{
    static const struct action ACTIONS[] = {
        {"end", api_end_session, own_prepare_id},
        {"end-all", api_end_session, own_prepare_all},
        {"revoke", api_revoke_token, own_prepare_id},
        {"token", api_new_token, own_prepare_token},
        {"name", api_set_name, own_prepare_name},
        {"password", api_set_password, own_prepare_password}};

    action_take(view_begin(c), ACTIONS, sizeof ACTIONS / sizeof *ACTIONS, own_begin,
                own_done);
}
