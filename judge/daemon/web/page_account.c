/* Signing in and out, and joining. */
#include "daemon/api.h"
#include "daemon/daemon.h"
#include "daemon/hashing.h"
#include "daemon/session.h"
#include "daemon/web/layout.h"
#include "daemon/web/page_routes.h"
#include "daemon/web/values.h"
#include "record/accounts.h"

#include <event2/http.h>
#include <stdlib.h>
#include <string.h>

static void
account_field(struct html *h, const char *label, const char *name, const char *type,
              const char *complete, const char *value)
{
    html(h,
         "<label>%s <input name=\"%s\" type=\"%s\" autocomplete=\"%s\" value=\"%s\" "
         "required></label>",
         label, name, type, complete, value);
}

/* Has this judge accounts? Else the page says what to do. False after having sent it. */
static bool
account_there_are(struct view *v)
{
    if (v->call.daemon->policy.registration != REGISTRATION_OFF)
        return true;
    view_refuse(v, 403,
                "This judge has no accounts. Who runs it adds them with serve "
                "--registration invitation.");
    return false;
}

/* --- signing in and out ------------------------------------------------- */

static void
sign_in_show(struct view *v)
{
    struct html *h = &v->page;

    layout_begin(v, "Sign in", SECTION_NONE, 0);
    html(h, "<h1>Sign in</h1><form class=\"card\" method=\"post\" action=\"/sign-in\">");
    view_form_token(v);
    account_field(h, "Name", "name", "text", "username", form_value(&v->form, "name"));
    account_field(h, "Password", "password", "password", "current-password", "");
    html(h, "<button class=\"first\">Sign in</button></form>"
            "<p>No account yet? <a href=\"/join\">Join</a>.</p>");
    layout_end(v);
    view_send(v, v->notice != NULL ? 403 : 200);
}

void
page_sign_in(struct http_call *c)
{
    struct view *v = view_begin(c);

    if (account_there_are(v))
        sign_in_show(v);
}

static void
sign_in_done(struct view *v)
{
    if (v->status == 201) {
        view_go(v, "/problems");
        return;
    }
    view_note(v, "%s.", view_sentence(v));
    sign_in_show(v);
}

/* Asks for a session by the form's name and password. */
static void
sign_in_ask(struct view *v, view_step *then)
{
    cJSON *body = cJSON_CreateObject();

    cJSON_AddStringToObject(body, "name", form_value(&v->form, "name"));
    cJSON_AddStringToObject(body, "password", form_value(&v->form, "password"));
    view_set_body(v, body);
    view_ask(v, api_sign_in, then);
}

void
page_begin_session(struct http_call *c)
{
    struct view *v = view_begin(c);

    if (account_there_are(v) && view_take_form(v, sign_in_show))
        sign_in_ask(v, sign_in_done);
}

static void
sign_out_done(struct view *v)
{
    if (v->status == 200)
        view_go(v, "/problems");
    else
        view_fail(v);
}

static void
sign_out_again(struct view *v)
{
    view_refuse(v, 403, v->notice);
}

void
page_sign_out(struct http_call *c)
{
    struct view *v = view_begin(c);

    if (view_take_form(v, sign_out_again))
        view_ask(v, api_end_this_session, sign_out_done);
}

/* --- joining ------------------------------------------------------------ */

static void
join_show(struct view *v)
{
    const char *invitation = call_query(&v->call, "invitation");
    const bool open = v->call.daemon->policy.registration == REGISTRATION_OPEN;
    struct html *h = &v->page;

    if (invitation == NULL)
        invitation = form_value(&v->form, "invitation");
    layout_begin(v, "Join", SECTION_NONE, 0);
    html(h, "<h1>Join</h1><form class=\"card\" method=\"post\" action=\"/join\">");
    view_form_token(v);
    html(h,
         "<label>Invitation <input name=\"invitation\" autocomplete=\"off\" "
         "value=\"%s\"%s></label>",
         invitation, open ? "" : " required");
    account_field(h, "Name", "name", "text", "username", form_value(&v->form, "name"));
    html(h, "<label>Password, of at least 10 characters <input name=\"password\" "
            "type=\"password\" minlength=\"10\" autocomplete=\"new-password\" required>"
            "</label><button class=\"first\">Join</button></form>"
            "<p>You have an account? <a href=\"/sign-in\">Sign in</a>.</p>");
    layout_end(v);
    view_send(v, v->notice != NULL ? 403 : 200);
}

void
page_join(struct http_call *c)
{
    struct view *v = view_begin(c);

    if (account_there_are(v))
        join_show(v);
}

/* The account is there, with its password, and the browser has a session. */
static void
join_done(struct view *v)
{
    view_go(v, "/problems");
}

/* The account is there, but no session could begin now. */
static void
join_done_without(struct view *v)
{
    view_go(v, "/sign-in");
}

/* Ends the token that came with the account. */
static void
join_take_session(struct view *v)
{
    view_ask(v, api_sign_out, v->status == 201 ? join_done : join_done_without);
}

/* Becomes who has joined, by the token that came with the account. It stays with the
 * request, because calls that wait look again at who asks. */
static bool
join_become(struct view *v, const char *token, struct report *r)
{
    struct evkeyvalq *headers = evhttp_request_get_input_headers(v->call.req);
    char *text = xasprintf("Bearer %s", token);

    (void)evhttp_remove_header(headers, "Authorization");
    evhttp_add_header(headers, "Authorization", text);
    explicit_bzero(text, strlen(text));
    free(text);
    return identity_find(&v->call, &v->call.who, r) == 0;
}

static void
join_take_account(struct view *v)
{
    struct report r = {0};

    if (v->status != 201) {
        view_note(v, "%s.", view_sentence(v));
        join_show(v);
        return;
    }
    if (!join_become(v, value_text(v->answer, "token"), &r)) {
        view_refuse(v, 500, r.text);
        return;
    }
    sign_in_ask(v, join_take_session);
}

void
page_make_account(struct http_call *c)
{
    struct view *v = view_begin(c);
    struct report r = {0};
    cJSON *body;

    if (!account_there_are(v) || !view_take_form(v, join_show))
        return;
    /* An account without a password would be of no use to a browser. */
    if (session_may_begin(&v->call, &r) != 0 ||
        password_check(form_value(&v->form, "password"), &r) != 0) {
        view_note(v, "%s.", r.text);
        join_show(v);
        return;
    }
    body = cJSON_CreateObject();
    cJSON_AddStringToObject(body, "name", form_value(&v->form, "name"));
    if (form_value(&v->form, "invitation")[0] != '\0')
        cJSON_AddStringToObject(body, "invitation", form_value(&v->form, "invitation"));
    cJSON_AddStringToObject(body, "label", "joined by a page");
    cJSON_AddStringToObject(body, "password", form_value(&v->form, "password"));
    view_set_body(v, body);
    view_ask(v, api_join, join_take_account);
}
