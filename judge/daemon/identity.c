/* Finds out who asks: by a token, by the process behind the Unix socket, by a proxy's
 * word, or by a session. */
#include "daemon/identity.h"

#include "base/file.h"
#include "daemon/daemon.h"
#include "daemon/log.h"
#include "daemon/session.h"

#include <event2/bufferevent.h>
#include <event2/http.h>
#include <event2/keyvalq_struct.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

/* The last use of a token is stored once in so long, because it costs a commit. */
#define USED_EVERY_MS 60000

#define BEARER "Bearer "

static void
identity_set_name(struct identity *who, const char *name)
{
    snprintf(who->name, sizeof who->name, "%s", name);
}

/* --- by a token --------------------------------------------------------- */

static int
token_refuse(const struct token *t, const struct account *a, struct report *r)
{
    int status = 401;

    if (a->state != ACCOUNT_ACTIVE) {
        report_fail(r, "the account %s is closed", a->name);
        status = 403;
    } else if (t->revoked_ms != 0) {
        report_fail(r, "this token was revoked: `warpjudge login` gets another");
    } else {
        report_fail(r, "this token has expired: `warpjudge login` gets another");
    }
    return status;
}

static void
token_note_use(struct daemon *d, const struct token *t, int64_t now)
{
    struct report r = {0};

    if (now - t->used_ms >= USED_EVERY_MS &&
        store_token_used(d->store, t->id, now, &r) != 0)
        log_line("the use of a token cannot be stored: %s", r.text);
}

/* Fills *out by a token that is known, or returns the status of its refusal. */
static int
token_identify(const struct token *t, const struct account *a, struct identity *out,
               struct report *r)
{
    if (a->state != ACCOUNT_ACTIVE || t->revoked_ms != 0 ||
        (t->expires_ms != 0 && t->expires_ms <= now_ms()))
        return token_refuse(t, a, r);
    *out = (struct identity){.role = a->role,
                             .scopes = t->scopes,
                             .worker_roles = t->worker_roles,
                             .account = a->id,
                             .token = t->id,
                             .expires_ms = t->expires_ms};
    identity_set_name(out, a->name);
    return 0;
}

int
identity_of_token(struct daemon *d, int64_t token, struct identity *out, struct report *r)
{
    struct token t;
    struct account a;
    bool found = false;
    int status;

    if (store_token_of_id(d->store, token, &found, &t, &a, r) != 0)
        return 500;
    if (!found) {
        report_fail(r, "the token is not known any more");
        return 401;
    }
    status = token_identify(&t, &a, out, r);
    token_free(&t);
    account_free(&a);
    return status;
}

static int
identity_by_token(struct daemon *d, const char *header, struct identity *out,
                  struct report *r)
{
    char hash[SECRET_HASH_BYTES];
    struct token token;
    struct account account;
    bool found = false;
    int status = 0;

    if (strncasecmp(header, BEARER, sizeof BEARER - 1) != 0) {
        report_fail(r, "the Authorization header must be \"Bearer\" and a token");
        return 401;
    }
    header += sizeof BEARER - 1;
    header += strspn(header, " ");
    if (secret_is_valid(TOKEN_PREFIX, header)) {
        secret_hash(header, hash);
        if (store_token(d->store, hash, &found, &token, &account, r) != 0)
            return 500;
    }
    if (!found) {
        report_fail(r, "this token is not known here: `warpjudge login` gets one");
        return 401;
    }
    status = token_identify(&token, &account, out, r);
    if (status == 0)
        token_note_use(d, &token, now_ms());
    token_free(&token);
    account_free(&account);
    return status;
}

/* --- by the Unix socket ------------------------------------------------- */

static const char *
login_of(struct login_cache *cache, uid_t uid)
{
    const struct passwd *entry;

    if (cache->set && cache->uid == uid)
        return cache->name;
    *cache = (struct login_cache){.set = true, .uid = uid};
    entry = getpwuid(uid);
    /* In a container a user may be a number that has no name. */
    if (entry != NULL && entry->pw_name[0] != '\0' &&
        strlen(entry->pw_name) <= USER_BYTES_MAX)
        snprintf(cache->name, sizeof cache->name, "%s", entry->pw_name);
    else
        snprintf(cache->name, sizeof cache->name, "uid%lu", (unsigned long)uid);
    return cache->name;
}

static int
identity_by_login(struct daemon *d, uid_t uid, struct identity *out, struct report *r)
{
    const bool operator_asks = uid == geteuid() || uid == 0;
    const char *login = login_of(&d->last_login, uid);
    struct account account;
    bool found = false;

    if (store_account(d->store, login, &found, &account, r) != 0)
        return 500;
    *out = (struct identity){.role = ROLE_MEMBER, .scopes = SCOPES_ALL};
    identity_set_name(out, found ? account.name : login);
    if (found && account.state != ACCOUNT_UNCLAIMED) {
        out->account = account.id;
        out->role = account.role;
    }
    if (operator_asks) {
        out->role = ROLE_ADMIN;
    } else if (found && account.state == ACCOUNT_CLOSED) {
        report_fail(r, "the account %s is closed", account.name);
        account_free(&account);
        return 403;
    }
    if (found)
        account_free(&account);
    return 0;
}

/* --- by a proxy ---------------------------------------------------------- */

/* The account is made where there is none, because the proxy says who has one. */
static int
identity_by_proxy(struct daemon *d, const char *user, struct identity *out,
                  struct report *r)
{
    struct account account;
    int status = 0;

    if (user_name_check(user, r) != 0) {
        report_prefix(r, "the proxy's word for who asks");
        return 403;
    }
    if (store_ensure_account(d->store, user, &account, r) != 0)
        return 500;
    if (account.state == ACCOUNT_CLOSED) {
        report_fail(r, "the account %s is closed", account.name);
        status = 403;
    } else {
        *out = (struct identity){.role = account.role,
                                 .scopes = SCOPES_ALL,
                                 .account = account.id,
                                 .by_browser = true};
        identity_set_name(out, account.name);
    }
    account_free(&account);
    return status;
}

/* Does the connection come over the Unix socket? Then *uid is the other end's. */
static bool
connection_peer(struct evhttp_request *req, uid_t *uid)
{
    struct evhttp_connection *connection = evhttp_request_get_connection(req);
    struct bufferevent *b =
        connection != NULL ? evhttp_connection_get_bufferevent(connection) : NULL;
    struct sockaddr_storage local = {0};
    socklen_t len = sizeof local;
    struct ucred peer;
    socklen_t peer_len = sizeof peer;

    if (b == NULL ||
        getsockname(bufferevent_getfd(b), (struct sockaddr *)&local, &len) != 0 ||
        local.ss_family != AF_UNIX ||
        getsockopt(bufferevent_getfd(b), SOL_SOCKET, SO_PEERCRED, &peer, &peer_len) != 0)
        return false;
    *uid = peer.uid;
    return true;
}

/* Fills *value with the one Authorization header, or with NULL. Two are refused, because
 * what is between us and the sender might decide by the other one. */
static int
authorization_header(struct evhttp_request *req, const char **value, struct report *r)
{
    const struct evkeyvalq *headers = evhttp_request_get_input_headers(req);
    const struct evkeyval *item;

    *value = NULL;
    for (item = headers->tqh_first; item != NULL; item = item->next.tqe_next) {
        if (strcasecmp(item->key, "Authorization") != 0)
            continue;
        if (*value != NULL)
            return report_fail(r, "there are two Authorization headers");
        *value = item->value;
    }
    return 0;
}

int
identity_find(struct http_call *c, struct identity *out, struct report *r)
{
    struct daemon *d = c->daemon;
    const char *header, *user;
    uid_t uid = 0;

    *out = (struct identity){.role = ROLE_GUEST, .scopes = SCOPE_READ};
    if (authorization_header(c->req, &header, r) != 0)
        return 401;
    if (header != NULL)
        return identity_by_token(d, header, out, r);
    if (connection_peer(c->req, &uid))
        return identity_by_login(d, uid, out, r);
    if (proxy_user(&d->proxies, c->req, &user, r) != 0)
        return 401;
    return user != NULL ? identity_by_proxy(d, user, out, r) : session_find(c, out, r);
}
