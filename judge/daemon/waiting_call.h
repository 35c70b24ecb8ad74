/*
 * Calls that wait for a password to be verified or hashed (hashing.h), while the loop
 * does everything else. Where the sender goes meanwhile, nothing comes of the call.
 */
#ifndef DAEMON_WAITING_CALL_H
#define DAEMON_WAITING_CALL_H

#include "daemon/hashing.h"
#include "daemon/http.h"

#include <stdbool.h>

struct waiting_maker {
    /* Answers the call, which has no segments of its path and no query any more. */
    void (*answer)(struct http_call *c, const struct hashing_result *result, void *arg);
    void (*free)(void *arg);
};

/* Hands the task over, and answers the call when it is done. `arg` is freed after that.
 * False where too many wait: the call is answered, and `arg` is freed. */
bool call_await_hashing(struct http_call *c, const struct hashing_task *task,
                        const struct waiting_maker *maker, void *arg);

#endif
