/*
 * HTTP to the daemon (docs/http-api.md): over the Unix socket beside leaderboard.db, or
 * to WARPJUDGE_URL. At the default address a daemon that is not there is started.
 */
#ifndef CLI_CLIENT_H
#define CLI_CLIENT_H

#include "core/config.h"
#include "core/report.h"

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>

struct client;

enum client_result {
    CLIENT_OK,
    CLIENT_REFUSED, /* 4xx: what was asked is wrong; the report is the judge's sentence */
    CLIENT_FAILED,  /* 5xx, or an answer that makes no sense */
    CLIENT_UNREACHABLE, /* no connection, or it broke before the answer was whole */
    CLIENT_INTERRUPTED, /* client_interrupt_on's descriptor became readable; no report */
};

/* The exit status that each result stands for. */
int client_exit_status(enum client_result result);

/* NULL and a report where WARPJUDGE_URL is no address. config must live as long. */
struct client *client_open(const struct config *config, struct report *r);
void client_close(struct client *c);
const char *client_address(const struct client *c); /* for messages */

/* Requests end when fd becomes readable; -1: they don't. */
void client_interrupt_on(struct client *c, int fd);

/* *out is an object that the caller deletes, set where the result is CLIENT_OK only. */
enum client_result client_get(struct client *c, const char *path, cJSON **out,
                              struct report *r);
enum client_result client_post(struct client *c, const char *path, const cJSON *body,
                               cJSON **out, struct report *r);

/* Hands the bytes of an answer over as they come, until it ends (CLIENT_OK) or on_bytes
 * returns non-zero with a report of its own (CLIENT_FAILED). */
typedef int client_bytes_fn(void *ctx, const char *bytes, size_t len, struct report *r);
enum client_result client_stream(struct client *c, const char *path,
                                 client_bytes_fn *on_bytes, void *ctx, struct report *r);

/* text as part of a path or query; the caller frees. */
char *client_escape(const char *text);

#endif
