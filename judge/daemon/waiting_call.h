/*
 * Calls that are answered later, while the loop does everything else. Where the sender
 * goes meanwhile, nothing comes of the call.
 */
#ifndef DAEMON_WAITING_CALL_H
#define DAEMON_WAITING_CALL_H

#include "daemon/hashing.h"
#include "daemon/http.h"

#include <stdbool.h>

struct waiting_call;

/* A call as it can be kept behind its handler: without its query, the segments of its
 * path and the line of the log, which may end with the connection. */
struct http_call call_kept(const struct http_call *c);

/* Keeps a call, which call_resume() must be called for. */
struct waiting_call *call_wait(struct http_call *c);

/* Has its sender gone? call_resume() must be called nevertheless. */
bool call_is_gone(const struct waiting_call *w);

/* The same, looked up at the connection. That of a call that waits is not read, so that
 * nothing else tells of its end before the answer. */
bool call_has_hung_up(const struct waiting_call *w);

/* Answers the call by `answer`, unless its sender is gone, and frees it. The call has its
 * query again, but no segments of its path. With NULL it is not answered, because the
 * server has ended. */
void call_resume(struct waiting_call *w, void (*answer)(struct http_call *c, void *arg),
                 void *arg);

/* What a call waits for that needs a password to be verified or hashed (hashing.h). */
struct waiting_maker {
    /* Answers the call, which has no segments of its path any more. */
    void (*answer)(struct http_call *c, const struct hashing_result *result, void *arg);
    void (*free)(void *arg);
};

/* Hands the task over, and answers the call when it is done. `arg` is freed after that.
 * False where too many wait: the call is answered, and `arg` is freed. */
bool call_await_hashing(struct http_call *c, const struct hashing_task *task,
                        const struct waiting_maker *maker, void *arg);

#endif
