#include "daemon/session.h"

#include "base/file.h"
#include "daemon/address.h"
#include "daemon/daemon.h"
#include "daemon/log.h"
#include "record/sessions.h"

#include <event2/http.h>
#include <event2/keyvalq_struct.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#define SECURE_COOKIE "__Host-warpjudge"
#define LOCAL_COOKIE "warpjudge-session"

/* The last use is stored once in so long, because it costs a commit. */
#define USED_EVERY_MS 60000

/* --- what the request says ---------------------------------------------- */

static const char *
session_header(const struct http_call *c, const char *name)
{
    return evhttp_find_header(evhttp_request_get_input_headers(c->req), name);
}

/* Has the request come to a name of this machine's own? Browsers take these as secure. */
static bool
session_host_is_local(const struct http_call *c)
{
    const char *host = session_header(c, "Host");

    return host != NULL && address_is_ours(host, NULL, NULL);
}

/* Has the request come by HTTPS, up to the proxy? The page says so, or the proxy. A
 * forger of that gives away no secret but their own. */
static bool
session_is_secure(const struct http_call *c)
{
    const char *origin = session_header(c, "Origin");
    const char *scheme = session_header(c, "X-Forwarded-Proto");

    if (origin != NULL)
        return strncasecmp(origin, "https://", 8) == 0;
    return scheme != NULL && strcasecmp(scheme, "https") == 0;
}

int
session_may_begin(const struct http_call *c, struct report *r)
{
    if (c->foreign)
        return report_fail(r, "pages of other sites may not sign in: they use tokens");
    if (session_is_secure(c) || session_host_is_local(c))
        return 0;
    return report_fail(r, "nobody signs in over plain HTTP from another machine: "
                          "everybody on the way could read the password; use https://");
}

/* Looks for a cookie of this name. Returns how many there are; one that is no secret of a
 * session does not count. */
static int
session_cookie(const struct http_call *c, const char *name, char value[SECRET_BYTES])
{
    const struct evkeyvalq *headers = evhttp_request_get_input_headers(c->req);
    const struct evkeyval *item;
    const size_t len = strlen(name);
    int count = 0;

    for (item = headers->tqh_first; item != NULL; item = item->next.tqe_next) {
        const char *at = strcasecmp(item->key, "Cookie") == 0 ? item->value : "";

        for (at += strspn(at, " \t;"); *at != '\0'; at += strspn(at, " \t;")) {
            const size_t n = strcspn(at, "; \t");

            if (n == len + SECRET_BYTES && strncmp(at, name, len) == 0 &&
                at[len] == '=') {
                snprintf(value, SECRET_BYTES, "%s", at + len + 1);
                count += secret_is_valid(SESSION_PREFIX, value);
            }
            at += n;
        }
    }
    return count;
}

/* --- cookies of the answer ---------------------------------------------- */

static void
session_set_cookie(struct http_call *c, const char *name, const char *value, int64_t age)
{
    char text[256];

    snprintf(text, sizeof text, "%s=%s; Path=/; Max-Age=%lld; HttpOnly; SameSite=Lax%s",
             name, value, (long long)age,
             strcmp(name, SECURE_COOKIE) == 0 ? "; Secure" : "");
    evhttp_add_header(evhttp_request_get_output_headers(c->req), "Set-Cookie", text);
    explicit_bzero(text, sizeof text);
}

void
session_give_cookie(struct http_call *c, const char *secret)
{
    session_set_cookie(c, session_is_secure(c) ? SECURE_COOKIE : LOCAL_COOKIE, secret,
                       SESSION_LONGEST_MS / 1000);
}

void
session_remove_cookie(struct http_call *c)
{
    char value[SECRET_BYTES];

    if (session_cookie(c, SECURE_COOKIE, value) > 0)
        session_set_cookie(c, SECURE_COOKIE, "", 0);
    if (session_cookie(c, LOCAL_COOKIE, value) > 0)
        session_set_cookie(c, LOCAL_COOKIE, "", 0);
}

/* --- who asks ----------------------------------------------------------- */

/* Fails where a page of another site may have made the browser send a request that
 * changes something. Browsers name the page's origin in each of these. */
static int
session_check_origin(const struct http_call *c, bool secure, struct report *r)
{
    const enum evhttp_cmd_type method = evhttp_request_get_command(c->req);
    const char *origin = session_header(c, "Origin");

    if (method == EVHTTP_REQ_GET || method == EVHTTP_REQ_HEAD ||
        method == EVHTTP_REQ_OPTIONS)
        return 0;
    if (origin != NULL && address_is_own_origin(origin, session_header(c, "Host")) &&
        (!secure || session_is_secure(c)))
        return 0;
    report_fail(r, "a session changes something only from a page of this judge: the "
                   "header Origin must be its own address");
    return 403;
}

static void
session_note_use(struct daemon *d, const struct session *s)
{
    const int64_t now = now_ms();
    struct report r = {0};

    if (now - s->used_ms >= USED_EVERY_MS &&
        store_session_used(d->store, s->id, now, &r) != 0)
        log_line("the use of a session cannot be stored: %s", r.text);
}

static int
session_of(struct http_call *c, const char *secret, bool secure, struct identity *out,
           struct report *r)
{
    char hash[SECRET_HASH_BYTES];
    struct session session;
    struct account account;
    bool found = false;
    int status = 0;

    secret_hash(secret, hash);
    if (store_session(c->daemon->store, hash, &found, &session, &account, r) != 0)
        return 500;
    if (!found) {
        session_remove_cookie(c);
        return 0;
    }
    if (account.state != ACCOUNT_ACTIVE) {
        session_remove_cookie(c);
    } else if ((status = session_check_origin(c, secure, r)) == 0) {
        *out = (struct identity){.role = account.role,
                                 .scopes = SCOPES_ALL,
                                 .account = account.id,
                                 .session = session.id,
                                 .expires_ms = session.expires_ms,
                                 .by_browser = true};
        snprintf(out->name, sizeof out->name, "%s", account.name);
        session_note_use(c->daemon, &session);
    }
    session_free(&session);
    account_free(&account);
    return status;
}

int
session_find(struct http_call *c, struct identity *out, struct report *r)
{
    const char *scheme = session_header(c, "X-Forwarded-Proto");
    char secret[SECRET_BYTES];
    const bool plain = scheme != NULL && strcasecmp(scheme, "http") == 0;
    int secure = plain ? 0 : session_cookie(c, SECURE_COOKIE, secret), count = secure;
    int status = 0;

    if (c->foreign)
        return 0;
    if (secure == 0 && session_host_is_local(c))
        count = session_cookie(c, LOCAL_COOKIE, secret);
    if (count > 1) {
        report_fail(r, "there are two cookies of a session");
        return 401;
    }
    if (count == 1)
        status = session_of(c, secret, secure > 0, out, r);
    explicit_bzero(secret, sizeof secret);
    return status;
}
