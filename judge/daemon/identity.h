/*
 * The identity of a request: who asks. A token says so (RFC 6750, "Authorization: Bearer
 * wjt_..."). Without one, it is the login of the process at the other end of the Unix
 * socket. Over TCP it is whom a trusted proxy names (proxy.h), or whose session the
 * cookie is (session.h), or else a guest.
 *
 * Over the Unix socket the user who runs the daemon, and root, are admins: they could
 * write to the database as well. Another login is a member under its own name, or what
 * its account is.
 */
#ifndef DAEMON_IDENTITY_H
#define DAEMON_IDENTITY_H

#include "base/report.h"
#include "problem/names.h"
#include "record/accounts.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct daemon;
struct http_call;

struct identity {
    char name[USER_BYTES_MAX + 1]; /* empty: a guest */
    enum role role;
    unsigned scopes;
    unsigned worker_roles; /* of the token: what its workers may be (record/accounts.h) */
    int64_t account;       /* 0: there is none of this name */
    int64_t token;         /* 0: none came */
    int64_t session;       /* 0: none came */
    int64_t expires_ms;    /* of the token or the session; 0: never */
    bool by_browser;       /* a browser may have said it by itself: a session, or a
                              person whom a proxy names */
};

/* The login of a user id, as the last request found it. Looking it up reads a file. */
struct login_cache {
    bool set;
    uid_t uid;
    char name[USER_BYTES_MAX + 1];
};

/* Returns 0, or the HTTP status of a refusal with the sentence for the sender. It is 401
 * where a token is not good, 403 where the account is closed, 500 where the store fails.
 */
int identity_find(struct http_call *c, struct identity *out, struct report *r);

/* Who asks with the token of this number? It answers as identity_find(). */
int identity_of_token(struct daemon *d, int64_t token, struct identity *out,
                      struct report *r);

#endif
