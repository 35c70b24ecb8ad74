/* The API's answers to who signs in by a name and a password: a session for a browser, or
 * a token for a program. */
#include "daemon/api_accounts.h"

#include "base/buf.h"
#include "base/file.h"
#include "base/utf8.h"
#include "daemon/daemon.h"
#include "daemon/log.h"
#include "daemon/session.h"
#include "daemon/sign_in_limits.h"
#include "daemon/waiting_call.h"
#include "record/sessions.h"
#include "record/store.h"

#include <event2/http.h>
#include <stdlib.h>
#include <string.h>

struct sign_in {
    bool for_token;
    char *name;
    char *stored; /* against what the password is verified; NULL: nobody's */
    char *label;  /* of the session or the token */
    int64_t account;
};

static void
sign_in_free(void *arg)
{
    struct sign_in *s = arg;

    free(s->name);
    free(s->stored);
    free(s->label);
    free(s);
}

/* --- a right password ---------------------------------------------------- */

static void
reply_session(struct http_call *c, const struct sign_in *s, const struct account *a)
{
    char secret[SECRET_BYTES], hash[SECRET_HASH_BYTES];
    const struct new_session n = {.account = a->id,
                                  .hash = hash,
                                  .label = s->label,
                                  .expires_ms = now_ms() + SESSION_LONGEST_MS};
    struct report r = {0};
    cJSON *o;

    secret_new(SESSION_PREFIX, secret);
    secret_hash(secret, hash);
    if (store_add_session(c->daemon->store, &n, &r) != 0) {
        reply_failure(c, &r);
    } else {
        session_give_cookie(c, secret);
        o = account_json(a);
        cJSON_AddNumberToObject(o, "expires_ms", (double)n.expires_ms);
        reply_json(c, 201, o);
    }
    explicit_bzero(secret, sizeof secret);
}

static void
reply_token(struct http_call *c, const struct sign_in *s, const struct account *a)
{
    char secret[SECRET_BYTES], hash[SECRET_HASH_BYTES];
    const struct new_token n = {
        .account = a->id, .hash = hash, .label = s->label, .scopes = SCOPES_ALL};
    struct report r = {0};
    int64_t id;
    cJSON *o;

    secret_new(TOKEN_PREFIX, secret);
    secret_hash(secret, hash);
    if (store_add_token(c->daemon->store, &n, &id, &r) != 0) {
        reply_failure(c, &r);
    } else {
        o = account_json(a);
        cJSON_AddStringToObject(o, "token", secret);
        reply_json(c, 201, o);
    }
    explicit_bzero(secret, sizeof secret);
}

/* Is the account still what it was when the verification began? Sets *out only then. -1
 * where the store fails. */
static int
sign_in_still_holds(struct http_call *c, const struct sign_in *s, bool *holds,
                    struct account *out, struct report *r)
{
    struct store *store = c->daemon->store;
    struct account a;
    char *stored = NULL;
    bool found = false;

    *holds = false;
    if (store_account(store, s->name, &found, &a, r) != 0)
        return -1;
    if (!found)
        return 0;
    if (store_password(store, a.id, &stored, r) != 0) {
        account_free(&a);
        return -1;
    }
    *holds = a.id == s->account && a.state == ACCOUNT_ACTIVE && stored != NULL &&
             strcmp(stored, s->stored) == 0;
    free(stored);
    if (*holds)
        *out = a;
    else
        account_free(&a);
    return 0;
}

static void
sign_in_answer(struct http_call *c, const struct hashing_result *result, void *arg)
{
    const struct sign_in *s = arg;
    struct account a;
    struct report r = {0};
    bool holds = false;

    if (result->right && sign_in_still_holds(c, s, &holds, &a, &r) != 0) {
        reply_failure(c, &r);
    } else if (!holds) {
        reply_problem(c, ERROR_WRONG_PASSWORD, NULL,
                      "the name or the password is wrong: an admin makes a link by which "
                      "to set another (`warpjudge admin reset NAME`)");
    } else {
        sign_in_limits_right(c, s->name);
        log_line("%s has signed in by a password", a.name);
        if (s->for_token)
            reply_token(c, s, &a);
        else
            reply_session(c, s, &a);
        account_free(&a);
    }
}

/* --- asking -------------------------------------------------------------- */

/* What a browser says that it is, as far as it is text for people. The caller frees. */
static char *
browser_label(const struct http_call *c)
{
    const char *agent =
        evhttp_find_header(evhttp_request_get_input_headers(c->req), "User-Agent");
    struct buf label = {0};

    utf8_clean(&label, agent != NULL ? agent : "");
    if (label.len > LABEL_BYTES_MAX)
        label.len = utf8_prefix(label.data, LABEL_BYTES_MAX);
    buf_add(&label, "", 1);
    return buf_take(&label);
}

/* Fills *s with what the store has of the name. An account without a password, a closed
 * one and none at all are one: their password is nobody's. */
static int
sign_in_look_up(struct http_call *c, struct sign_in *s, struct report *r)
{
    struct store *store = c->daemon->store;
    struct account a;
    bool found = false;
    int rc = 0;

    if (store_account(store, s->name, &found, &a, r) != 0)
        return -1;
    if (!found)
        return 0;
    s->account = a.id;
    if (a.state == ACCOUNT_ACTIVE)
        rc = store_password(store, a.id, &s->stored, r);
    account_free(&a);
    return rc;
}

static void
sign_in_verify(struct http_call *c, const char *name, const char *password, char *label,
               bool for_token)
{
    static const struct waiting_maker MAKER = {sign_in_answer, sign_in_free};
    const int64_t wait = sign_in_limits_begin(c, name);
    struct sign_in *s = xcalloc(1, sizeof *s);
    struct report r = {0};

    *s = (struct sign_in){.for_token = for_token, .name = xstrdup(name), .label = label};
    if (wait > 0) {
        reply_retry_after(c, wait);
        reply_problem(c, ERROR_TOO_MANY, NULL,
                      "too many passwords were wrong: try again in %lld s; a token, a "
                      "session and a reset link work at any time",
                      (long long)wait);
        sign_in_free(s);
    } else if (sign_in_look_up(c, s, &r) != 0) {
        reply_failure(c, &r);
        sign_in_free(s);
    } else {
        const struct hashing_task task = {.proves = password, .stored = s->stored};

        if (!call_await_hashing(c, &task, &MAKER, s))
            sign_in_limits_undo(c, name);
    }
}

/* Are name and password there, and of a form that may be? False after having answered. */
static bool
sign_in_is_complete(struct http_call *c, const char *name, const char *password)
{
    struct report r = {0};

    if (c->daemon->policy.registration == REGISTRATION_OFF)
        reply_problem(c, ERROR_NO_ACCOUNTS, NULL,
                      "this judge has no accounts: `serve --registration` says who "
                      "may have one");
    else if (name == NULL || password == NULL)
        reply_problem(c, ERROR_MISSING_MEMBER, name == NULL ? "/name" : "/password",
                      "%s is missing: one signs in by both",
                      name == NULL ? "name" : "password");
    else if (user_name_check(name, &r) != 0)
        reply_problem(c, ERROR_INVALID_MEMBER, "/name", "%s", r.text);
    else if (password_check_length(password, &r) != 0)
        reply_problem(c, ERROR_INVALID_MEMBER, "/password", "%s", r.text);
    else
        return true;
    return false;
}

void
api_sign_in(struct http_call *c)
{
    const char *name = NULL, *password = NULL;
    const struct request_field fields[] = {{"name", &name, NULL},
                                           {"password", &password, NULL}};
    struct report r = {0};
    cJSON *object;

    if (session_may_begin(c, &r) != 0) {
        reply_problem(c, ERROR_PLAIN_HTTP, NULL, "%s", r.text);
        return;
    }
    if (!account_body(c, fields, sizeof fields / sizeof *fields, "a session", &object))
        return;
    if (sign_in_is_complete(c, name, password))
        sign_in_verify(c, name, password, browser_label(c), false);
    account_body_delete(object, password);
}

void
api_sign_in_token(struct http_call *c)
{
    const char *name = NULL, *password = NULL, *label = NULL;
    const struct request_field fields[] = {
        {"name", &name, NULL}, {"password", &password, NULL}, {"label", &label, NULL}};
    cJSON *object;

    if (!account_body(c, fields, sizeof fields / sizeof *fields, "a token", &object))
        return;
    if (label != NULL && strlen(label) > LABEL_BYTES_MAX)
        reply_problem(c, ERROR_INVALID_MEMBER, "/label", "label is longer than %d bytes",
                      LABEL_BYTES_MAX);
    else if (sign_in_is_complete(c, name, password))
        sign_in_verify(c, name, password, xstrdup(label != NULL ? label : ""), true);
    account_body_delete(object, password);
}
