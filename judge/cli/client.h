/*
 * HTTP to the daemon (docs/http-api.md). It goes to WARPJUDGE_URL; or where neither that
 * nor WARPJUDGE_HOME is set, to the judge of `warpjudge login`; or over the Unix socket
 * beside leaderboard.db. There a daemon that is not there is started.
 *
 * The token of WARPJUDGE_TOKEN goes with each request, or that of the login for this
 * address. It goes to no proxy, and nowhere that login_check_secrecy() refuses.
 */
#ifndef CLI_CLIENT_H
#define CLI_CLIENT_H

#include "base/config.h"
#include "base/report.h"

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>

struct client;

enum client_result {
    CLIENT_OK,
    CLIENT_REFUSED, /* 4xx: the request is wrong, and the report is the judge's sentence
                     */
    CLIENT_FAILED,  /* 5xx, or an answer that makes no sense */
    CLIENT_UNREACHABLE, /* no connection, it broke before the answer was whole, or a proxy
                           says that the judge is away */
    CLIENT_INTERRUPTED, /* client_interrupt_on()'s descriptor became readable; no report
                         */
};

/* The exit status that each result stands for. */
int client_exit_status(enum client_result result);

/* NULL and a report where WARPJUDGE_URL is no address, or may get no token. config must
 * live as long as the client. */
struct client *client_open(const struct config *config, struct report *r);

/* The same for this address of login_url(), whatever the environment says, with this
 * token or none. */
struct client *client_open_at(const struct config *config, const char *url,
                              const char *token, struct report *r);
void client_close(struct client *c);
/* The address, for messages. A name and a password in it are left out. */
const char *client_address(const struct client *c);

/* Over TCP the same, as login_url() gives it; NULL for the Unix socket. */
const char *client_url(const struct client *c);
/* The code of the last refusal (daemon/errors.h), such as "no_such_problem"; empty where
 * the judge gave none. */
const char *client_refusal(const struct client *c);
/* The member of the request that it is about, as "/role"; empty where it says none. */
const char *client_refused_member(const struct client *c);

bool client_has_token(const struct client *c);

/* Requests end when fd becomes readable. -1: nothing interrupts them. */
void client_interrupt_on(struct client *c, int fd);

/* Calls look(arg) at least each `ms` while an answer is waited for. NULL: nothing is
 * called. */
void client_look_each(struct client *c, int ms, void (*look)(void *arg), void *arg);

/* Answers may take so long from now on, because the judge has work to do first. */
void client_wait_longer(struct client *c, long ms);

/* A path is that of the first API, as "/api/problems". The request goes to the same path
 * of the API's version 1, "/api/v1/problems". A daemon that answers there as one does
 * which has no versions is asked at the path itself, from then on. */

/* Only where the result is CLIENT_OK, *out is set to an object that the caller
 * deletes. */
enum client_result client_get(struct client *c, const char *path, cJSON **out,
                              struct report *r);
enum client_result client_post(struct client *c, const char *path, const cJSON *body,
                               cJSON **out, struct report *r);

/* The same with a header Idempotency-Key, so that the same body may be sent again and
 * nothing is submitted twice. */
enum client_result client_post_once(struct client *c, const char *path, const char *key,
                                    const cJSON *body, cJSON **out, struct report *r);

/* The HTTP status of the last answer, and the seconds of its Retry-After; 0 where there
 * was none. */
long client_status(const struct client *c);
long client_retry_after_s(const struct client *c);

enum client_result client_delete(struct client *c, const char *path, cJSON **out,
                                 struct report *r);

/* Hands the bytes of an answer over as they come. CLIENT_OK when the answer ends.
 * CLIENT_FAILED when on_bytes returns other than 0, with a report of its own. */
typedef int client_bytes_fn(void *ctx, const char *bytes, size_t len, struct report *r);
enum client_result client_stream(struct client *c, const char *path,
                                 client_bytes_fn *on_bytes, void *ctx, struct report *r);

/* text, escaped for a path or a query. The caller frees. */
char *client_escape(const char *text);

#endif
