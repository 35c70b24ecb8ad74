/* The API's answers about an account's password: set by its owner, removed, or set by a
 * reset code that an admin has made. */
#include "daemon/api_accounts.h"

#include "base/buf.h"
#include "base/file.h"
#include "daemon/daemon.h"
#include "daemon/log.h"
#include "daemon/sign_in_limits.h"
#include "daemon/waiting_call.h"
#include "record/sessions.h"
#include "record/store.h"

#include <stdlib.h>
#include <string.h>

#define HOUR_MS INT64_C(3600000)
#define RESET_HOURS 24 /* where the request does not say */
#define RESET_HOURS_MAX 168

/* Is the password there, and may it be set? False after having answered. */
bool
new_password_is_good(struct http_call *c, const char *password)
{
    struct report r = {0};

    if (password == NULL)
        reply_problem(c, ERROR_MISSING_MEMBER, "/password",
                      "password is missing: say which one you want");
    else if (password_check(password, &r) != 0)
        reply_problem(c, ERROR_INVALID_MEMBER, "/password", "%s", r.text);
    else
        return true;
    return false;
}

bool
password_was_hashed(struct http_call *c, const struct hashing_result *result)
{
    struct report r = {0};

    if (result->text[0] != '\0')
        return true;
    report_fail(&r, "a password could not be hashed: there is no memory");
    reply_failure(c, &r);
    return false;
}

/* --- one's own ----------------------------------------------------------- */

struct password_change {
    char *name;
    char *stored; /* the password of before; NULL: none */
    bool proves;  /* the one of before was said, and is verified */
};

static void
change_free(void *arg)
{
    struct password_change *p = arg;

    free(p->name);
    free(p->stored);
    free(p);
}

/* May who has asked still change the password of before? Meanwhile a session may have
 * ended, or the password changed. False after having answered. */
static bool
change_still_holds(struct http_call *c, const struct password_change *p)
{
    struct identity who = {0};
    struct report r = {0};
    char *stored = NULL;
    bool same;
    int status = identity_find(c, &who, &r);

    if (status == 0)
        status = rights_check(&c->daemon->policy, &who, NEED_LOGIN, &r);
    if (status == 0 && who.account == c->who.account &&
        store_password(c->daemon->store, who.account, &stored, &r) != 0)
        status = 500;
    if (status != 0) {
        reply_refused(c, status, &r);
        return false;
    }
    same = who.account == c->who.account && (stored == NULL) == (p->stored == NULL) &&
           (stored == NULL || strcmp(stored, p->stored) == 0);
    free(stored);
    if (!same)
        reply_error(c, 409, "the password was changed by somebody else at this moment");
    return same;
}

static void
change_answer(struct http_call *c, const struct hashing_result *result, void *arg)
{
    const struct password_change *p = arg;
    struct report r = {0};

    if (!result->right) {
        reply_problem(c, ERROR_WRONG_PASSWORD, "/current",
                      "current is not the password of %s", p->name);
        return;
    }
    if (p->proves)
        sign_in_limits_right(c, p->name);
    if (!password_was_hashed(c, result) || !change_still_holds(c, p))
        return;
    if (store_set_password(c->daemon->store, c->who.account, result->text, c->who.session,
                           &r) != 0) {
        reply_failure(c, &r);
    } else {
        log_line("%s has set a password", p->name);
        reply_done(c);
    }
}

static void
change_begin(struct http_call *c, struct password_change *p, const char *current,
             const char *password)
{
    static const struct waiting_maker MAKER = {change_answer, change_free};
    const struct hashing_task task = {.proves = p->proves ? current : NULL,
                                      .stored = p->stored,
                                      .sets = password,
                                      .is_first = p->stored == NULL};
    const int64_t wait = p->proves ? sign_in_limits_begin(c, p->name) : 0;
    const bool proves = p->proves;

    if (wait > 0) {
        reply_retry_after(c, wait);
        reply_problem(c, ERROR_TOO_MANY, NULL,
                      "too many passwords were wrong: try again in %lld s",
                      (long long)wait);
        change_free(p);
    } else if (!call_await_hashing(c, &task, &MAKER, p) && proves) {
        sign_in_limits_undo(c, c->who.name);
    }
}

/* The password of before need not be known to who has a token, or the Unix socket. */
static void
change_password(struct http_call *c, const char *current, const char *password)
{
    struct password_change *p = xcalloc(1, sizeof *p);
    struct report r = {0};

    p->name = xstrdup(c->who.name);
    if (store_password(c->daemon->store, c->who.account, &p->stored, &r) != 0) {
        reply_failure(c, &r);
    } else if (p->stored != NULL && current == NULL && c->who.by_browser) {
        reply_problem(c, ERROR_MISSING_MEMBER, "/current",
                      "current is missing: say the password of before");
    } else if (current != NULL && password_check_length(current, &r) != 0) {
        reply_problem(c, ERROR_INVALID_MEMBER, "/current", "%s", r.text);
    } else {
        p->proves = current != NULL && p->stored != NULL;
        change_begin(c, p, current, password);
        return;
    }
    change_free(p);
}

void
api_set_password(struct http_call *c)
{
    const char *current = NULL, *password = NULL;
    const struct request_field fields[] = {{"current", &current, NULL},
                                           {"password", &password, NULL}};
    cJSON *object;

    if (!account_body(c, fields, sizeof fields / sizeof *fields, "a password", &object))
        return;
    if (new_password_is_good(c, password))
        change_password(c, current, password);
    secret_text_clear(current);
    account_body_delete(object, password);
}

void
api_remove_password(struct http_call *c)
{
    struct report r = {0};

    if (c->who.by_browser)
        reply_error(c, 403,
                    "a password is removed by who has a token, so that nobody "
                    "shuts themselves out");
    else if (store_set_password(c->daemon->store, c->who.account, NULL, 0, &r) != 0)
        reply_failure(c, &r);
    else
        reply_done(c);
}

/* --- reset codes --------------------------------------------------------- */

static void
make_reset(struct http_call *c, int64_t expires_ms)
{
    char secret[SECRET_BYTES], hash[SECRET_HASH_BYTES];
    struct account a;
    struct report r = {0};
    cJSON *o;

    if (!asked_account(c, c->arg[0], &a))
        return;
    secret_new(RESET_PREFIX, secret);
    secret_hash(secret, hash);
    if (a.state == ACCOUNT_UNCLAIMED) {
        reply_problem(c, ERROR_UNCLAIMED_NAME, NULL,
                      "%s is a name of older submissions, and nobody's account: "
                      "`warpjudge admin invite %s` lets somebody claim it",
                      a.name, a.name);
    } else if (a.state == ACCOUNT_CLOSED) {
        reply_error(c, 409, "the account %s is closed: open it first", a.name);
    } else if (store_add_reset(c->daemon->store, a.id, hash, expires_ms, &r) != 0) {
        reply_failure(c, &r);
    } else {
        log_line("%s makes a reset code for %s", c->who.name, a.name);
        o = cJSON_CreateObject();
        cJSON_AddStringToObject(o, "name", a.name);
        cJSON_AddStringToObject(o, "code", secret);
        cJSON_AddNumberToObject(o, "expires_ms", (double)expires_ms);
        reply_json(c, 201, o);
    }
    explicit_bzero(secret, sizeof secret);
    account_free(&a);
}

void
api_reset(struct http_call *c)
{
    int64_t hours = RESET_HOURS;
    const struct request_field fields[] = {{"hours", NULL, &hours}};
    cJSON *object;

    if (!account_body(c, fields, sizeof fields / sizeof *fields, "a reset code", &object))
        return;
    if (hours < 1 || hours > RESET_HOURS_MAX)
        reply_problem(c, ERROR_INVALID_MEMBER, "/hours",
                      "hours is %lld: it must be from 1 to %d", (long long)hours,
                      RESET_HOURS_MAX);
    else
        make_reset(c, now_ms() + hours * HOUR_MS);
    cJSON_Delete(object);
}

struct reset_use {
    char hash[SECRET_HASH_BYTES];
    char *name;
};

static void
reset_use_free(void *arg)
{
    struct reset_use *u = arg;

    free(u->name);
    free(u);
}

static void
reset_refuse(struct http_call *c)
{
    reply_problem(c, ERROR_RESET_CODE, "/code",
                  "this code is not known, or was used, or is too old: an admin makes "
                  "another (`warpjudge admin reset NAME`)");
}

static void
reset_use_answer(struct http_call *c, const struct hashing_result *result, void *arg)
{
    const struct reset_use *u = arg;
    struct report r = {0};
    bool found = false;
    cJSON *o;

    if (!password_was_hashed(c, result))
        return;
    if (store_use_reset(c->daemon->store, u->hash, result->text, &found, &r) != 0) {
        reply_failure(c, &r);
    } else if (!found) {
        reset_refuse(c);
    } else {
        sign_in_limits_trust(c, u->name);
        log_line("%s has set a password by a reset code", u->name);
        o = cJSON_CreateObject();
        cJSON_AddStringToObject(o, "name", u->name);
        reply_json(c, 200, o);
    }
}

static void
use_reset(struct http_call *c, const char *code, const char *password)
{
    static const struct waiting_maker MAKER = {reset_use_answer, reset_use_free};
    const struct hashing_task task = {.sets = password};
    struct reset_use *u = xcalloc(1, sizeof *u);
    struct account a;
    struct report r = {0};
    bool found = false;

    secret_hash(code, u->hash);
    if (secret_is_valid(RESET_PREFIX, code) &&
        store_reset(c->daemon->store, u->hash, &found, &a, &r) != 0) {
        reply_failure(c, &r);
        reset_use_free(u);
    } else if (!found) {
        reset_refuse(c);
        reset_use_free(u);
    } else {
        u->name = xstrdup(a.name);
        account_free(&a);
        call_await_hashing(c, &task, &MAKER, u);
    }
}

void
api_use_reset(struct http_call *c)
{
    const char *code = NULL, *password = NULL;
    const struct request_field fields[] = {{"code", &code, NULL},
                                           {"password", &password, NULL}};
    cJSON *object;

    if (!account_body(c, fields, sizeof fields / sizeof *fields, "a reset", &object))
        return;
    if (code == NULL)
        reply_problem(c, ERROR_MISSING_MEMBER, "/code",
                      "code is missing: an admin makes one (`warpjudge admin reset "
                      "NAME`)");
    else if (new_password_is_good(c, password))
        use_reset(c, code, password);
    account_body_delete(object, password);
}
