/*
 * The workers: programs on other machines, or on this one, that judge for the daemon
 * (`warpjudge worker`). Each has one device and judges one submission at a time. It asks
 * for work, and the daemon answers when there is some, or after a while that there is
 * none. So a thousand workers wait as a thousand connections without any work for us.
 *
 * A worker is known from its registration until it leaves, or is not heard for a lease's
 * time. The list is in memory alone: after a restart of the daemon workers register
 * again, and the leases of before are void.
 *
 * queue.c says which attempt a worker gets, and attempt_lease.c carries that out.
 */
#ifndef DAEMON_WORKERS_H
#define DAEMON_WORKERS_H

#include "base/report.h"
#include "daemon/agreement.h"
#include "daemon/compiler_rests.h"
#include "daemon/worker_request.h"

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stdint.h>

struct attempt;
struct daemon;
struct http_call;
struct identity;
struct waiting_call;
struct workers;

#define WORKERS_MAX 4096 /* of all tokens; --workers-per-token is how many of one */
/* Pools whose workers are there: of all, and of those that a token's workers began. */
#define POOLS_MAX 32
#define POOLS_OF_TOKEN_MAX 8

#define WORKER_WAIT_MAX_S 15 /* proxies often end a call after 30 or 60 s */

/*
 * The workers of a board, or those that compile and make the same artefacts, which are
 * a pool. A board is kept when its workers are gone, and a pool is not.
 *
 * A pool is called by what its artefacts are linked with and by the toolkit. An artefact
 * fits a worker of which both are the same.
 */
struct worker_board {
    struct worker_board *next;
    char *board; /* "NVIDIA H200"; of a pool what its artefacts fit */
    bool is_pool;
    int64_t token; /* of a pool: of the worker that was its first; 0: it had none */
    int live;      /* workers that are there and not drained */
    int able;      /* of a pool: those of them that do not rest (compiler_rests.h) */
    int leased;    /* how many have an attempt */
    /* When one was last new, asked for work or got some while none had any; or ended some
     * with a result. */
    uint64_t moved_ns;
    struct worker *waiting, **waiting_end;
    /* Of a board: the pool whose artefacts fit a worker that is there, or NULL. */
    struct worker_board *pool;
    int compiled;  /* attempts that its pool compiles, or has compiled (lease_choice.h) */
    bool has_pair; /* two of its workers may judge for two GPUs together (worker_pairs.h)
                    */
    bool keeps;    /* one of those that wait is kept for such a judgement */
};

struct worker {
    struct worker *next, **at; /* `at` points to it in the list of all */
    struct worker *next_waiting;
    struct worker **waiting_at; /* what points to it in that list; NULL: it is in none */
    int64_t number; /* from 1 on, in the order in which they have registered */
    char id[WORKER_ID_BYTES];
    int64_t token;      /* with which it has registered, and must ask */
    int64_t expires_ms; /* of the token, since 1970; 0: never */
    enum worker_role role;
    char *node, *device, *title, *arch, *toolkit, *driver, *lacks, *linked;
    int64_t memory_bytes;
    bool insecure;
    struct worker_board *board;
    uint64_t heard_ns;         /* CLOCK_MONOTONIC, as all below */
    struct waiting_call *call; /* in which it waits for work; NULL: it does not wait */
    uint64_t call_until_ns;
    bool hung_up; /* in that call, or in the last one; it has not asked again */
    struct attempt *attempt; /* that it judges; NULL: none */
    char *siblings;          /* struct worker_hello; "": it has none */
    struct worker *sibling;  /* a ring of those with which it may judge for two GPUs */
    struct worker *partner;  /* whose device is the second of what it judges; or NULL */
    struct worker *holder;   /* whose partner it is; or NULL */
    bool kept;               /* nobody younger gets it (worker_pairs.h) */
    struct node_rates first, rates; /* of its GPU, measured first and last; 0: never */
    char *
        drained; /* why it gets no work, since it is not like the others; NULL: it does */
    int64_t judged, lost;      /* how many attempts have ended how */
    struct compiler_rest rest; /* of one that compiles: as of the last look at all */
};

struct workers *workers_new(struct daemon *d);
void workers_free(struct workers *all); /* after the queue and the server */

/* Draws what nobody can guess, such as a worker's id: 128 random bits in hexadecimal. */
void worker_secret(char out[WORKER_ID_BYTES]);

/* NULL and a report where there are too many, of all or of the token, or too many pools.
 * Where there is no place, one of the token's own workers that is away makes it. */
struct worker *workers_add(struct workers *all, const struct worker_hello *h,
                           const struct identity *who, struct report *r);

/* The worker of this id that has registered with this token, or NULL. It counts as
 * heard. */
struct worker *workers_heard(struct workers *all, const char *id, int64_t token);

/* Takes memory for a part of a worker's result, which is kept until the result is read.
 * Results that are not read have at most 256 MiB together. Those of workers that only
 * compile have a quarter of that. False beyond: the worker sends the part again. */
bool workers_take_memory(struct workers *all, enum worker_role role, size_t bytes);
void workers_give_memory(struct workers *all, enum worker_role role, size_t bytes);

/* A lease of the worker begins or ends. */
void worker_has_lease(struct worker *w, struct attempt *a);
void worker_has_no_lease(struct worker *w);

/* Does any worker wait for work? */
bool workers_any_waits(const struct workers *all);

/* The worker's attempt has come to something, or to nothing through no fault of the
 * user's. */
void workers_note_result(struct workers *all, struct worker *w);
void workers_note_loss(struct workers *all, struct worker *w);

/* Do all workers of the pool rest, or has nothing come of the pool for a lease's time
 * while it has something, or while nobody asks for work? Workers may be heard all the
 * while: one that compiles without end is, and one that is hostile. Another that gives
 * back, or registers again and again, changes nothing of that. */
bool workers_pool_is_stuck(const struct workers *all, const struct worker_board *pool);

/* May the worker compile now? It does not, while it rests. */
bool worker_may_compile(const struct worker *w);

/* Removes the workers that `is_over` says so of, since their tokens are not good any
 * more. What they judge is void (lease_void()), and their calls that wait are refused. */
void workers_end(struct workers *all, bool (*is_over)(const struct worker *w, void *arg),
                 void *arg, const char *why);

/* The worker leaves. What it judges is lost. */
void workers_remove(struct workers *all, struct worker *w, const char *why);

/* Takes what was measured of the worker's GPU with a time, its conditions or NULL. A
 * worker that does not agree with those of the board's other nodes gets no work any more.
 */
void workers_note_rates(struct workers *all, struct worker *w, const char *conditions);

/* The board of this name, which is made where there is none. */
struct worker_board *workers_board(struct workers *all, const char *board);

/* Lets the worker's call wait for work. */
void worker_wait(struct worker *w, struct http_call *c, int64_t wait_s);

/* Takes the worker of the board that has waited longest, that `fits`, and that is
 * nobody's partner and not kept; or NULL. It does not wait any more: worker_grant() must
 * follow.
 */
struct worker *worker_board_take(struct worker_board *b,
                                 bool (*fits)(const struct worker *w, const void *arg),
                                 const void *arg);

/* Takes it out of those that wait. worker_grant() must follow. */
void worker_unlink(struct worker *w);

/* May the worker judge what the pool of this name has compiled? */
bool worker_takes_from(const struct worker *w, const char *pool);

/* Is there a worker of the board that may, whether it waits or not? */
bool workers_any_takes(const struct workers *all, const struct worker_board *b,
                       const char *pool);

/* What a worker with this token judges, and was compiled by another to an artefact of
 * this hash; or NULL. */
const struct attempt *workers_find_artefact(const struct workers *all, const char *hash,
                                            int64_t token);

/* How often workers have come or gone. */
uint64_t workers_generation(const struct workers *all);

/* Answers the worker's call with an attempt's lease. *granted is false where the worker
 * has gone meanwhile, or its token is not good any more. On -1 the machine is in trouble:
 * the worker was told that there is no work, and else nothing has changed. */
int worker_grant(struct worker *w, struct attempt *a, bool *granted, struct report *r);

/* How often a worker that judges must be heard, in seconds. */
int workers_heartbeat_s(const struct workers *all);

int workers_count(const struct workers *all);

/* The newest worker whose number is below this one, or NULL. */
const struct worker *workers_before(const struct workers *all, int64_t number);

/* A worker as the API shows it. */
cJSON *worker_json(const struct worker *w);

#endif
