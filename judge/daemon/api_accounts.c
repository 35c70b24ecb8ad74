/* The API's answers about accounts: who asks, tokens, and what admins do. */
#include "daemon/api_accounts.h"

#include "base/buf.h"
#include "base/file.h"
#include "daemon/daemon.h"
#include "daemon/first_admin.h"
#include "daemon/join_limits.h"
#include "daemon/log.h"
#include "daemon/quota.h"
#include "daemon/request.h"
#include "daemon/worker_tokens.h"
#include "record/sessions.h"
#include "record/store.h"

#include <event2/http.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define DAY_MS INT64_C(86400000)
#define DAYS_MAX 3650
#define INVITATION_DAYS 7 /* where the request does not say */

/* --- answers ------------------------------------------------------------ */

static cJSON *
scopes_json(unsigned scopes)
{
    cJSON *list = cJSON_CreateArray();

    for (unsigned bit = SCOPE_READ; bit <= SCOPE_WORKER; bit <<= 1)
        if ((scopes & bit) != 0)
            cJSON_AddItemToArray(list, cJSON_CreateString(scope_name((enum scope)bit)));
    return list;
}

/* Says what a token's workers may be, where it is for workers. */
static void
add_worker_roles(cJSON *o, unsigned scopes, unsigned roles)
{
    if ((scopes & SCOPE_WORKER) != 0)
        cJSON_AddItemToObject(o, "roles", worker_roles_json(roles));
}

static void
add_time_or_null(cJSON *o, const char *key, int64_t ms)
{
    if (ms != 0)
        cJSON_AddNumberToObject(o, key, (double)ms);
    else
        cJSON_AddNullToObject(o, key);
}

cJSON *
account_json(const struct account *a)
{
    cJSON *o = cJSON_CreateObject();

    cJSON_AddStringToObject(o, "name", a->name);
    if (a->display_name[0] != '\0')
        cJSON_AddStringToObject(o, "display_name", a->display_name);
    cJSON_AddStringToObject(o, "role", role_name(a->role));
    cJSON_AddStringToObject(o, "state", account_state_name(a->state));
    return o;
}

void
reply_done(struct http_call *c)
{
    cJSON *o = cJSON_CreateObject();

    cJSON_AddBoolToObject(o, "done", true);
    reply_json(c, 200, o);
}

bool
account_body(struct http_call *c, const struct request_field *fields, size_t count,
             const char *what, cJSON **object)
{
    struct error_about about;
    struct report r = {0};
    size_t len = 0;
    const char *body = call_body(c, &len);

    *object = request_object(body, len, fields, count, what, &about, &r);
    if (*object == NULL)
        reply_problem(c, about.code, about.field, "%s", r.text);
    return *object != NULL;
}

void
secret_text_clear(const char *secret)
{
    /* The body is the call's own, and fields point into it as const. */
    if (secret != NULL)
        explicit_bzero((void *)(uintptr_t)secret, strlen(secret));
}

void
account_body_delete(cJSON *object, const char *secret)
{
    secret_text_clear(secret);
    cJSON_Delete(object);
}

/* How long from now a thing is good for. 0: for ever. False after having answered. */
static bool
take_days(struct http_call *c, int64_t days, int64_t *expires_ms)
{
    if (days < 0 || days > DAYS_MAX) {
        reply_problem(c, ERROR_INVALID_MEMBER, "/days",
                      "days is %lld: it must be from 1 to %d", (long long)days, DAYS_MAX);
        return false;
    }
    *expires_ms = days > 0 ? now_ms() + days * DAY_MS : 0;
    return true;
}

void
api_whoami(struct http_call *c)
{
    static const char *const registrations[] = {
#define X(name, text) text,
        REGISTRATIONS(X)
#undef X
    };
    const struct identity *who = &c->who;
    struct account a = {0};
    struct report r = {0};
    bool found = false;
    char *password = NULL;
    cJSON *o, *quota = NULL;

    if ((who->account != 0 &&
         (store_account(c->daemon->store, who->name, &found, &a, &r) != 0 ||
          store_password(c->daemon->store, who->account, &password, &r) != 0)) ||
        quota_show(c, &quota, &r) != 0) {
        free(password);
        account_free(&a);
        reply_failure(c, &r);
        return;
    }
    o = cJSON_CreateObject();
    if (found && a.display_name[0] != '\0')
        cJSON_AddStringToObject(o, "display_name", a.display_name);
    account_free(&a);
    if (who->name[0] != '\0')
        cJSON_AddStringToObject(o, "name", who->name);
    else
        cJSON_AddNullToObject(o, "name");
    cJSON_AddStringToObject(o, "role", role_name(who->role));
    cJSON_AddItemToObject(o, "scopes", scopes_json(who->scopes));
    cJSON_AddBoolToObject(o, "account", who->account != 0);
    cJSON_AddBoolToObject(o, "password", password != NULL);
    free(password);
    cJSON_AddBoolToObject(o, "session", who->session != 0);
    cJSON_AddBoolToObject(o, "token", who->token != 0);
    add_time_or_null(o, "expires_ms", who->expires_ms);
    cJSON_AddBoolToObject(o, "open", c->daemon->policy.open);
    cJSON_AddStringToObject(o, "registration",
                            registrations[c->daemon->policy.registration]);
    if (quota != NULL)
        cJSON_AddItemToObject(o, "quota", quota);
    reply_json(c, 200, o);
}

/* --- one's own tokens --------------------------------------------------- */

void
api_sign_out(struct http_call *c)
{
    struct report r = {0};
    bool found = false;

    if (c->who.token == 0)
        reply_problem(c, ERROR_NO_TOKEN, NULL, "no token came with this request");
    else if (store_revoke_token(c->daemon->store, c->who.account, c->who.token, &found,
                                &r) != 0)
        reply_failure(c, &r);
    else {
        worker_tokens_look(c->daemon);
        reply_done(c);
    }
}

cJSON *
tokens_json(const struct tokens *list, int64_t this)
{
    cJSON *rows = cJSON_CreateArray();

    for (size_t i = 0; i < list->count; i++) {
        const struct token *t = &list->row[i];
        cJSON *row = cJSON_CreateObject();

        cJSON_AddNumberToObject(row, "id", (double)t->id);
        cJSON_AddStringToObject(row, "label", t->label);
        cJSON_AddItemToObject(row, "scopes", scopes_json(t->scopes));
        add_worker_roles(row, t->scopes, t->worker_roles);
        cJSON_AddNumberToObject(row, "created_ms", (double)t->created_ms);
        add_time_or_null(row, "expires_ms", t->expires_ms);
        add_time_or_null(row, "used_ms", t->used_ms);
        cJSON_AddBoolToObject(row, "this", t->id == this);
        cJSON_AddItemToArray(rows, row);
    }
    return rows;
}

void
api_tokens(struct http_call *c)
{
    struct tokens list;
    struct report r = {0};
    cJSON *o;

    if (store_tokens(c->daemon->store, c->who.account, &list, &r) != 0) {
        reply_failure(c, &r);
        return;
    }
    o = cJSON_CreateObject();
    cJSON_AddItemToObject(o, "tokens", tokens_json(&list, c->who.token));
    tokens_free(&list);
    reply_json(c, 200, o);
}

/* Reads "read,submit". NULL means these two. 0 after having answered. */
static unsigned
take_scopes(struct http_call *c, const char *text)
{
    unsigned scopes = 0;

    if (text == NULL)
        return SCOPE_READ | SCOPE_SUBMIT;
    while (*text != '\0') {
        const size_t len = strcspn(text, ",");
        const unsigned scope = scope_parse(text, len);

        if (scope == 0) {
            reply_problem(c, ERROR_INVALID_MEMBER, "/scopes",
                          "\"%.*s\" is not a scope (they are read, submit, bulk, admin, "
                          "worker)",
                          (int)(len < 40 ? len : 40), text);
            return 0;
        }
        scopes |= scope;
        text += len;
        text += *text == ',';
    }
    if (scopes == 0)
        reply_problem(c, ERROR_INVALID_MEMBER, "/scopes",
                      "scopes is empty: a token without any is of no use");
    return scopes;
}

/* Reads "judge,compile" for a token of these scopes. NULL means both of a worker's. False
 * after having answered. */
static bool
take_worker_roles(struct http_call *c, unsigned scopes, const char *text, unsigned *out)
{
    unsigned roles = 0;

    if ((scopes & SCOPE_WORKER) == 0 && text != NULL) {
        reply_problem(c, ERROR_INVALID_MEMBER, "/roles",
                      "roles are for a token of the scope worker");
        return false;
    }
    if (text == NULL)
        roles = (scopes & SCOPE_WORKER) != 0 ? TOKEN_WORKS : 0;
    else if (strcmp(text, "judge") == 0)
        roles = TOKEN_JUDGES;
    else if (strcmp(text, "compile") == 0)
        roles = TOKEN_COMPILES;
    else if (strcmp(text, "judge,compile") == 0 || strcmp(text, "compile,judge") == 0)
        roles = TOKEN_WORKS;
    if (text != NULL && roles == 0) {
        reply_problem(c, ERROR_INVALID_MEMBER, "/roles",
                      "roles is \"%.40s\": it must be judge, compile or judge,compile",
                      text);
        return false;
    }
    *out = roles;
    return true;
}

static void
make_token(struct http_call *c, const struct new_token *asked)
{
    char secret[SECRET_BYTES], hash[SECRET_HASH_BYTES];
    struct new_token n = *asked;
    struct report r = {0};
    int64_t id;
    cJSON *o;

    secret_new(TOKEN_PREFIX, secret);
    secret_hash(secret, hash);
    n.hash = hash;
    if (store_add_token(c->daemon->store, &n, &id, &r) != 0) {
        reply_failure(c, &r);
    } else {
        o = cJSON_CreateObject();
        cJSON_AddNumberToObject(o, "id", (double)id);
        cJSON_AddStringToObject(o, "token", secret);
        cJSON_AddItemToObject(o, "scopes", scopes_json(n.scopes));
        add_worker_roles(o, n.scopes, n.worker_roles);
        add_time_or_null(o, "expires_ms", n.expires_ms);
        reply_json(c, 201, o);
    }
    explicit_bzero(secret, sizeof secret);
}

void
api_new_token(struct http_call *c)
{
    const char *scopes = NULL, *label = NULL, *roles = NULL;
    int64_t days = 0;
    const struct request_field fields[] = {{"scopes", &scopes, NULL},
                                           {"roles", &roles, NULL},
                                           {"label", &label, NULL},
                                           {"days", NULL, &days}};
    struct new_token n = {.account = c->who.account, .parent = c->who.token};
    struct report r = {0};
    cJSON *object;

    if (!account_body(c, fields, sizeof fields / sizeof *fields, "a token", &object))
        return;
    n.label = label != NULL ? label : "";
    if (strlen(n.label) > LABEL_BYTES_MAX) {
        reply_problem(c, ERROR_INVALID_MEMBER, "/label", "label is longer than %d bytes",
                      LABEL_BYTES_MAX);
    } else if (take_days(c, days, &n.expires_ms)) {
        n.scopes = take_scopes(c, scopes);
        /* What a token makes ends with it at the latest. */
        if (c->who.token != 0 && c->who.expires_ms != 0 &&
            (n.expires_ms == 0 || n.expires_ms > c->who.expires_ms))
            n.expires_ms = c->who.expires_ms;
        if (n.scopes != 0 && !rights_may_make_scopes(&c->who, n.scopes, &r))
            reply_problem(c, ERROR_FORBIDDEN, "/scopes", "%s", r.text);
        else if (n.scopes != 0 && take_worker_roles(c, n.scopes, roles, &n.worker_roles))
            make_token(c, &n);
    }
    cJSON_Delete(object);
}

void
api_revoke_token(struct http_call *c)
{
    struct report r = {0};
    bool found = false;
    int64_t id;

    if (!request_number(c->arg[0], 1, INT64_MAX, &id))
        reply_problem(c, ERROR_INVALID_ADDRESS, NULL,
                      "\"%.40s\" is not the number of a token", c->arg[0]);
    else if (store_revoke_token(c->daemon->store, c->who.account, id, &found, &r) != 0)
        reply_failure(c, &r);
    else if (!found)
        reply_problem(c, ERROR_NO_SUCH_TOKEN, NULL, "you have no token %lld",
                      (long long)id);
    else {
        worker_tokens_look(c->daemon);
        reply_done(c);
    }
}

/* --- what admins do ----------------------------------------------------- */

/* Has who asks made too many invitations? False after having answered. */
static bool
may_invite(struct http_call *c)
{
    const int64_t wait = join_limits_take_invitation(c);

    if (wait == 0)
        return true;
    reply_retry_after(c, wait);
    reply_problem(
        c, ERROR_TOO_MANY, NULL,
        "%s has made %d invitations in an hour, which is the most: the next one "
        "can be made in %lld s",
        c->who.name, INVITATIONS_PER_ACCOUNT, (long long)wait);
    return false;
}

void
api_invite(struct http_call *c)
{
    const char *name = NULL, *role = NULL;
    int64_t days = INVITATION_DAYS;
    const struct request_field fields[] = {
        {"name", &name, NULL}, {"role", &role, NULL}, {"days", NULL, &days}};
    char secret[SECRET_BYTES], hash[SECRET_HASH_BYTES];
    struct new_invitation n = {.role = ROLE_MEMBER};
    struct report r = {0};
    cJSON *object, *o;

    if (!account_body(c, fields, sizeof fields / sizeof *fields, "an invitation",
                      &object))
        return;
    n.name = name;
    if (role != NULL && role_parse(role, &n.role) != 0) {
        reply_problem(c, ERROR_INVALID_MEMBER, "/role",
                      "role is \"%.40s\": it must be member, staff or admin", role);
    } else if (name != NULL && user_name_check(name, &r) != 0) {
        reply_problem(c, ERROR_INVALID_MEMBER, "/name", "%s", r.text);
    } else if (take_days(c, days, &n.expires_ms) && may_invite(c)) {
        secret_new(INVITATION_PREFIX, secret);
        secret_hash(secret, hash);
        n.hash = hash;
        if (store_invite(c->daemon->store, &n, &r) != 0) {
            reply_failure(c, &r);
        } else {
            log_line("%s invites %s as %s", c->who.name, name != NULL ? name : "somebody",
                     role_name(n.role));
            o = cJSON_CreateObject();
            cJSON_AddStringToObject(o, "invitation", secret);
            add_time_or_null(o, "expires_ms", n.expires_ms);
            reply_json(c, 201, o);
        }
    }
    cJSON_Delete(object);
}

bool
asked_account(struct http_call *c, const char *name, struct account *out)
{
    struct report r = {0};
    bool found = false;

    if (store_account(c->daemon->store, name, &found, out, &r) != 0) {
        reply_failure(c, &r);
        return false;
    }
    if (found && out->deleted_ms != 0) {
        account_free(out);
        found = false;
    }
    if (!found)
        reply_problem(c, ERROR_NO_SUCH_ACCOUNT, NULL, "there is no account \"%.80s\"",
                      name);
    return found;
}

bool
account_may_go(struct http_call *c, const struct account *a)
{
    struct report r = {0};
    bool last = false;

    if (store_is_last_admin(c->daemon->store, a->id, &last, &r) != 0) {
        reply_failure(c, &r);
        return false;
    }
    if (last)
        reply_problem(c, ERROR_CONFLICT, NULL,
                      "%s is the last admin: make another one first (`warpjudge admin "
                      "role NAME admin`)",
                      a->name);
    return !last;
}

static void
change_account(struct http_call *c, struct account *a, const char *role,
               const char *state, const char *display_name)
{
    struct store *s = c->daemon->store;
    struct report r = {0};
    bool ended;

    if (role != NULL && role_parse(role, &a->role) != 0)
        reply_problem(c, ERROR_INVALID_MEMBER, "/role",
                      "role is \"%.40s\": it must be member, staff or admin", role);
    else if (state != NULL && (account_state_parse(state, &a->state) != 0 ||
                               a->state == ACCOUNT_UNCLAIMED))
        reply_problem(c, ERROR_INVALID_MEMBER, "/state",
                      "state is \"%.40s\": it must be active or closed", state);
    else if (display_name != NULL && display_name_check(display_name, &r) != 0)
        reply_problem(c, ERROR_INVALID_MEMBER, "/display_name", "%s", r.text);
    else if (c->who.account == a->id &&
             (a->role != ROLE_ADMIN || a->state != ACCOUNT_ACTIVE) &&
             !account_may_go(c, a))
        return; /* who has the Unix socket may do so, and invite another admin */
    else if ((role != NULL && store_set_role(s, a->id, a->role, &r) != 0) ||
             (state != NULL && store_set_state(s, a->id, a->state, &r) != 0) ||
             (state != NULL && a->state == ACCOUNT_CLOSED &&
              store_end_session(s, a->id, 0, &ended, &r) != 0) ||
             (display_name != NULL &&
              store_set_display_name(s, a->id, display_name, &r) != 0))
        reply_failure(c, &r);
    else {
        if (display_name != NULL) {
            free(a->display_name);
            a->display_name = xstrdup(display_name);
        }
        log_line("%s makes %s %s, %s", c->who.name, a->name, role_name(a->role),
                 account_state_name(a->state));
        worker_tokens_look(c->daemon);
        reply_json(c, 200, account_json(a));
    }
}

void
api_change_account(struct http_call *c)
{
    const char *role = NULL, *state = NULL, *display_name = NULL;
    const struct request_field fields[] = {{"role", &role, NULL},
                                           {"state", &state, NULL},
                                           {"display_name", &display_name, NULL}};
    struct account a;
    cJSON *object;

    if (!account_body(c, fields, sizeof fields / sizeof *fields, "an account", &object))
        return;
    if (asked_account(c, c->arg[0], &a)) {
        if (a.state == ACCOUNT_UNCLAIMED)
            reply_problem(c, ERROR_UNCLAIMED_NAME, NULL,
                          "%s is a name of older submissions, and nobody's account: "
                          "`warpjudge admin invite %s` lets somebody claim it",
                          a.name, a.name);
        else
            change_account(c, &a, role, state, display_name);
        account_free(&a);
    }
    cJSON_Delete(object);
}

static void
assign(struct http_call *c, const struct account *from, const struct account *to)
{
    struct report r = {0};

    if (to->state == ACCOUNT_UNCLAIMED)
        reply_problem(c, ERROR_UNCLAIMED_NAME, NULL,
                      "%s is no account, but a name of older submissions itself",
                      to->name);
    else if (store_assign(c->daemon->store, from->id, to->id, &r) != 0)
        reply_failure(c, &r);
    else {
        log_line("%s assigns the submissions of %s to %s", c->who.name, from->name,
                 to->name);
        reply_json(c, 200, account_json(to));
    }
}

/* The same for an unclaimed name, to the letter. */
static bool
asked_unclaimed(struct http_call *c, const char *name, struct account *out)
{
    struct report r = {0};
    bool found = false;

    if (store_unclaimed(c->daemon->store, name, &found, out, &r) != 0)
        reply_failure(c, &r);
    else if (!found)
        reply_problem(c, ERROR_NO_SUCH_ACCOUNT, "/from",
                      "no submissions without an account are under the name \"%.80s\"",
                      name);
    return found;
}

void
api_assign(struct http_call *c)
{
    const char *name = NULL;
    const struct request_field fields[] = {{"from", &name, NULL}};
    struct account from, to;
    cJSON *object;

    if (!account_body(c, fields, 1, "an assignment", &object))
        return;
    if (name == NULL) {
        reply_problem(c, ERROR_MISSING_MEMBER, "/from",
                      "from is missing: say which name's submissions");
    } else if (asked_account(c, c->arg[0], &to)) {
        if (asked_unclaimed(c, name, &from)) {
            assign(c, &from, &to);
            account_free(&from);
        }
        account_free(&to);
    }
    cJSON_Delete(object);
}
