/*
 * An attempt that a worker carries out. It goes through the phases of queue.h as one of
 * ours does: COMPILING from the lease on, RUNNING when the worker says that it judges,
 * UNSAVED with its result. What differs is behind attempt_on_worker (attempt.h).
 *
 * Compiling and judging may be two leases, of two workers. Between these the attempt is
 * READY, and its folder has compile.json and ARTEFACT_FILE (record/artefact.h). Each
 * lease has a fence of its own, so that who compiled an attempt says nothing of its
 * judgement.
 *
 * A lease carries a fence: 128 random bits. What comes of an attempt counts only with its
 * number and its fence, and only while it is the worker's current one. So a worker that
 * was given up and wakes up again changes nothing.
 */
#ifndef DAEMON_ATTEMPT_LEASE_H
#define DAEMON_ATTEMPT_LEASE_H

#include "base/buf.h"
#include "base/report.h"
#include "daemon/worker_request.h"
#include "record/artefact.h"

#include <cjson/cJSON.h>
#include <stdbool.h>

struct attempt;
struct http_call;
struct read_result;
struct store;
struct waiting_call;
struct worker;

/* How often a submission is leased at most, beside what is spared. */
#define LEASES_MAX 3
#define ARTEFACT_FILE "artefact.json"

/* What of the attempt the worker does. */
enum lease_kind {
    LEASE_WHOLE,   /* it compiles and judges */
    LEASE_COMPILE, /* it sends the artefact, and the attempt is READY */
    LEASE_JUDGE    /* it gets the artefact */
};

struct lease {
    enum lease_kind kind;
    struct worker *worker;
    char fence[FENCE_BYTES];
    uint64_t begun_ns;                /* CLOCK_MONOTONIC */
    char source[ARTEFACT_HASH_BYTES]; /* SHA-256 of what is judged */
    struct buf text;                  /* the parts of a result that have come */
    size_t bytes;                     /* of these; 0 once the attempt has them */
    int64_t parts;
    bool wait_counted;         /* the metrics have how long the submission has waited */
    struct waiting_call *call; /* the last part's, while the result is read; NULL: it has
                                  not come */
};

/* From QUEUED to COMPILING on this worker, or from READY to its judgement. The worker is
 * told *out. That is left alone where the attempt is given up, or where its problem has
 * just changed and is being packed. It returns -1 where the machine is in trouble, and
 * then nothing has changed. */
int attempt_lease(struct attempt *a, struct worker *w, cJSON **out, struct report *r);

/* Ends the lease, if there is one: the worker is free, and its messages are refused. A
 * call that waits is answered. */
void lease_end(struct attempt *a);

/* Is this message of the worker about the attempt that it judges? Otherwise the report
 * says why not. */
bool lease_is_current(const struct worker *w, const struct worker_message *m,
                      struct report *r);

/* Has the attempt's worker been told that this artefact is there for it? Otherwise nobody
 * may fetch it. */
bool lease_has_artefact(const struct attempt *a, const char *hash);

/* Opens the artefact to be read as it is to be sent. The caller closes the descriptor,
 * which may be read when the attempt and its folder are gone. -1 where it cannot be
 * opened. */
int lease_open_artefact(const struct attempt *a, struct report *r);

/* Takes the progress that a heartbeat tells. Has the attempt's phase changed by that? */
bool lease_take_progress(struct attempt *a, const struct worker_message *m);

/* Takes a part of the result. -1 for a part that is not the next one. The last one's call
 * waits until the result is read, which ends the attempt; others are answered. */
int lease_take_part(struct attempt *a, const struct worker_message *m,
                    struct http_call *c, struct report *r);

/* From READING: the whole result is there, and is judged as one of ours is. */
void lease_take_result(struct attempt *a, struct read_result *read);

/* Does it cost the submission nothing if the attempt comes to nothing now? A worker that
 * only compiles has a part in it. That is so once: the next one is compiled by who judges
 * it. */
bool lease_is_spared(const struct attempt *a);

/* The attempt has come to nothing on its worker. Another follows, or it is given up. */
void lease_lost(struct attempt *a, const char *why);

/* Nothing that comes of the attempt counts any more, since a token is not good: its
 * worker's, or that of who compiled it. Another attempt follows, and this one costs
 * nothing. A worker that waits for an answer is refused if its own token is not good. */
void lease_void(struct attempt *a, const char *why);

/* Stores in one transaction that another attempt follows, for attempts which lease_lost()
 * is called for next. Where that fails, lease_lost() stores it itself. */
void leases_store_loss(struct store *s, struct attempt *const *list, size_t count);

#endif
