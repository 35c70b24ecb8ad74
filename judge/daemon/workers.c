#include "daemon/workers.h"

#include "base/buf.h"
#include "base/file.h"
#include "base/hex.h"
#include "daemon/attempt.h"
#include "daemon/attempt_lease.h"
#include "daemon/daemon.h"
#include "daemon/http.h"
#include "daemon/log.h"
#include "daemon/loop_watch.h"
#include "daemon/waiting_call.h"
#include "daemon/worker_pairs.h"
#include "daemon/worker_tokens.h"

#include <event2/event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LOOK_S 1
/* The connection of a worker that waits is looked at each so many looks. Thousands may
 * wait, and each is a system call. */
#define HANGUP_LOOKS 4
#define ANSWERS_MAX 256 /* of a look, since each takes some 7 us */
#define LOST_MAX 128    /* of a look; the next one gives up the others */
#define UNREAD_BYTES_MAX ((size_t)256 << 20)
#define UNREAD_COMPILED_MAX ((size_t)64 << 20)
#define AWAY_S 5          /* a worker asks again 2 s after it was refused */
#define COMPILE_LEASES 10 /* for how many times a lease's silence one may compile */
#define NS_PER_S UINT64_C(1000000000)

struct workers {
    struct daemon *daemon;
    struct worker *first;
    struct worker_board *boards;
    int count;
    int64_t registered; /* how many ever were */
    uint64_t generation;
    size_t unread_bytes[2]; /* of results, by the role of who sends them */
    struct compiler_rests *rests;
    struct event *look;
    uint64_t looks; /* that were taken, modulo HANGUP_LOOKS */
};

void
worker_secret(char out[WORKER_ID_BYTES])
{
    hex_draw(out, WORKER_ID_BYTES / 2);
}

/* --- boards and who waits ----------------------------------------------- */

static struct worker_board *
workers_find_board(const struct workers *all, const char *board)
{
    struct worker_board *b = all->boards;

    while (b != NULL && strcmp(b->board, board) != 0)
        b = b->next;
    return b;
}

struct worker_board *
workers_board(struct workers *all, const char *board)
{
    struct worker_board *b = workers_find_board(all, board);

    if (b == NULL) {
        b = xcalloc(1, sizeof *b);
        b->board = xstrdup(board);
        b->waiting_end = &b->waiting;
        b->next = all->boards;
        all->boards = b;
    }
    return b;
}

static void
answer_nothing(struct http_call *c, void *arg)
{
    cJSON *o = cJSON_CreateObject();

    (void)arg;
    cJSON_AddNullToObject(o, "lease");
    reply_json(c, 200, o);
}

void
worker_unlink(struct worker *w)
{
    if (w->waiting_at == NULL)
        return;
    *w->waiting_at = w->next_waiting;
    if (w->next_waiting != NULL)
        w->next_waiting->waiting_at = w->waiting_at;
    else
        w->board->waiting_end = w->waiting_at;
    w->next_waiting = NULL;
    w->waiting_at = NULL;
    w->kept = false;
}

/* Ends the worker's waiting, and tells it that there is no work. */
static void
worker_stop_waiting(struct worker *w)
{
    struct waiting_call *call = w->call;

    if (call == NULL)
        return;
    w->call = NULL;
    worker_unlink(w);
    call_resume(call, answer_nothing, NULL);
}

bool
workers_take_memory(struct workers *all, enum worker_role role, size_t bytes)
{
    size_t *unread = all->unread_bytes;

    if (unread[WORKER_JUDGES] + unread[WORKER_COMPILES] + bytes > UNREAD_BYTES_MAX ||
        (role == WORKER_COMPILES && unread[role] + bytes > UNREAD_COMPILED_MAX))
        return false;
    unread[role] += bytes;
    return true;
}

void
workers_give_memory(struct workers *all, enum worker_role role, size_t bytes)
{
    all->unread_bytes[role] -= bytes;
}

/* The worker is new, asks for work or gets some. While others of its board have work,
 * that says nothing of whether anything comes of it. */
static void
worker_moved(struct worker *w)
{
    if (w->board->leased == 0)
        w->board->moved_ns = now_ns();
}

bool
workers_any_waits(const struct workers *all)
{
    const struct worker_board *b = all->boards;

    while (b != NULL && b->waiting == NULL)
        b = b->next;
    return b != NULL;
}

void
worker_has_lease(struct worker *w, struct attempt *a)
{
    worker_moved(w);
    w->attempt = a;
    w->board->leased++;
}

void
worker_has_no_lease(struct worker *w)
{
    w->attempt = NULL;
    w->board->leased--;
}

bool
workers_pool_is_stuck(const struct workers *all, const struct worker_board *pool)
{
    const uint64_t lease_ns = (uint64_t)all->daemon->settings.lease_s * NS_PER_S;

    return pool->able == 0 || ((pool->waiting == NULL || pool->leased > 0) &&
                               now_ns() - pool->moved_ns > lease_ns);
}

/* --- who compiles, and rests --------------------------------------------- */

static struct compiler
worker_as_compiler(const struct worker *w)
{
    return (struct compiler){.token = w->token, .node = w->node, .proven = w->judged > 0};
}

bool
worker_may_compile(const struct worker *w)
{
    return w->rest.until_ns == 0;
}

/* Looks at who rests now. Does any that has rested rest no more? */
static bool
workers_look_at_rests(struct workers *all, uint64_t now)
{
    bool any = false;

    for (struct worker_board *b = all->boards; b != NULL; b = b->next)
        b->able = 0;
    for (struct worker *w = all->first; w != NULL; w = w->next) {
        const struct compiler c = worker_as_compiler(w);
        const bool rested = w->rest.until_ns > 0;

        if (w->role != WORKER_COMPILES)
            continue;
        w->rest = compiler_rests_find(all->rests, &c, now);
        w->board->able += w->rest.until_ns == 0;
        any = any || (rested && w->rest.until_ns == 0);
    }
    return any;
}

/* How many workers that compile the worker's node has. */
static int
workers_of_node(const struct workers *all, const struct worker *w)
{
    int count = 0;

    for (const struct worker *other = all->first; other != NULL; other = other->next)
        count += other->role == WORKER_COMPILES && other->token == w->token &&
                 strcmp(other->node, w->node) == 0;
    return count;
}

void
workers_note_result(struct workers *all, struct worker *w)
{
    struct compiler c;

    w->judged++;
    w->board->moved_ns = now_ns();
    if (w->role != WORKER_COMPILES)
        return;
    c = worker_as_compiler(w);
    compiler_rests_compiled(all->rests, &c);
    if (w->judged == 1 || w->rest.until_ns > 0)
        workers_look_at_rests(all, now_ns());
}

void
workers_note_loss(struct workers *all, struct worker *w)
{
    const uint64_t now = now_ns();
    struct compiler c;

    w->lost++;
    if (w->role != WORKER_COMPILES)
        return;
    c = worker_as_compiler(w);
    compiler_rests_gave_back(all->rests, &c, workers_of_node(all, w), now);
    workers_look_at_rests(all, now);
    if (w->rest.until_ns > 0)
        log_line("worker %s of %s gives back too much: it gets no work for %d s",
                 w->device, w->node, (int)((w->rest.until_ns - now) / NS_PER_S));
}

/* --- who asks for work --------------------------------------------------- */

void
worker_wait(struct worker *w, struct http_call *c, int64_t wait_s)
{
    worker_stop_waiting(w);
    worker_moved(w);
    if (wait_s > WORKER_WAIT_MAX_S)
        wait_s = WORKER_WAIT_MAX_S;
    w->call = call_wait(c);
    w->hung_up = false;
    w->call_until_ns = now_ns() + (uint64_t)wait_s * NS_PER_S;
    if (w->drained != NULL)
        return;
    w->waiting_at = w->board->waiting_end;
    *w->waiting_at = w;
    w->board->waiting_end = &w->next_waiting;
}

struct worker *
worker_board_take(struct worker_board *b,
                  bool (*fits)(const struct worker *w, const void *arg), const void *arg)
{
    struct worker *w = b->waiting;

    while (w != NULL && (!worker_is_free(w) || !fits(w, arg)))
        w = w->next_waiting;
    if (w != NULL)
        worker_unlink(w);
    return w;
}

/* --- who may judge what another has compiled ----------------------------- */

/* No board has such a name, since what a worker says of itself has no line's end. */
static char *
pool_name(const char *linked, const char *toolkit)
{
    return xasprintf("\npool %s %s", linked, toolkit);
}

bool
worker_takes_from(const struct worker *w, const char *pool)
{
    char *name;
    bool takes;

    if (w->role == WORKER_COMPILES || w->linked[0] == '\0')
        return false;
    name = pool_name(w->linked, w->toolkit);
    takes = strcmp(pool, name) == 0;
    free(name);
    return takes;
}

bool
workers_any_takes(const struct workers *all, const struct worker_board *b,
                  const char *pool)
{
    for (const struct worker *w = all->first; w != NULL; w = w->next)
        if (w->board == b && w->drained == NULL && worker_takes_from(w, pool))
            return true;
    return false;
}

const struct attempt *
workers_find_artefact(const struct workers *all, const char *hash, int64_t token)
{
    for (const struct worker *w = all->first; w != NULL; w = w->next)
        if (w->token == token && w->attempt != NULL &&
            lease_has_artefact(w->attempt, hash))
            return w->attempt;
    return NULL;
}

uint64_t
workers_generation(const struct workers *all)
{
    return all->generation;
}

/* Workers have begun or ended to count for their boards. Another pool may compile for a
 * board then. */
static void
workers_count_boards(struct workers *all)
{
    all->generation++;
    for (struct worker_board *b = all->boards; b != NULL; b = b->next) {
        b->pool = NULL;
        b->has_pair = false;
    }
    for (const struct worker *other = all->first; other != NULL; other = other->next) {
        if (worker_is_of_pair(other))
            other->board->has_pair = true;
        for (struct worker_board *pool = all->boards;
             pool != NULL && other->board->pool == NULL && other->drained == NULL;
             pool = pool->next)
            if (pool->is_pool && pool->live > 0 && worker_takes_from(other, pool->board))
                other->board->pool = pool;
    }
}

/* The worker begins or ends to count for its board. */
static void
worker_counts(struct workers *all, const struct worker *w, int change)
{
    w->board->live += change;
    workers_count_boards(all);
}

/* What a worker's call is answered with. */
struct grant {
    struct worker *worker;
    struct attempt *attempt;
    struct report *report;
    bool called;
    int rc;
};

static void
answer_grant(struct http_call *c, void *arg)
{
    struct grant *g = arg;
    cJSON *o, *lease = NULL;

    /* Its token was good when it began to wait. */
    if (!worker_may_go_on(c, g->worker->role))
        return;
    g->called = true;
    g->rc = attempt_lease(g->attempt, g->worker, &lease, g->report);
    if (g->rc != 0 || lease == NULL) {
        answer_nothing(c, NULL);
        return;
    }
    o = cJSON_CreateObject();
    cJSON_AddItemToObject(o, "lease", lease);
    reply_json(c, 200, o);
}

int
worker_grant(struct worker *w, struct attempt *a, bool *granted, struct report *r)
{
    struct grant g = {.worker = w, .attempt = a, .report = r};
    struct waiting_call *call = w->call;

    w->call = NULL;
    /* A worker that was killed while it waited would have it for a lease's time. */
    if (call_has_hung_up(call))
        call_resume(call, answer_nothing, NULL);
    else
        call_resume(call, answer_grant, &g);
    *granted = g.called && g.rc == 0;
    if (w->attempt == NULL)
        worker_part(w);
    return g.rc;
}

/* --- coming and going --------------------------------------------------- */

static void
worker_free(struct worker *w)
{
    free(w->node);
    free(w->device);
    free(w->title);
    free(w->arch);
    free(w->toolkit);
    free(w->linked);
    free(w->siblings);
    free(w->driver);
    free(w->lacks);
    free(w->drained);
    free(w);
}

/* May one more pool begin with a worker of this token? */
static int
workers_check_pools(const struct workers *all, int64_t token, struct report *r)
{
    int pools = 0, own = 0;

    for (const struct worker_board *b = all->boards; b != NULL; b = b->next) {
        pools += b->is_pool;
        own += b->is_pool && token != 0 && b->token == token;
    }
    if (own >= POOLS_OF_TOKEN_MAX)
        return report_fail(r,
                           "workers with this token compile in %d ways already, by "
                           "toolkits and what is linked, which is the most",
                           own);
    if (pools >= POOLS_MAX)
        return report_fail(r,
                           "workers compile in %d ways already, by toolkits and what is "
                           "linked, which is the most",
                           pools);
    return 0;
}

/* The pool that a worker compiles in. NULL and a report where there are too many. */
static struct worker_board *
workers_pool(struct workers *all, const struct worker_hello *h, int64_t token,
             struct report *r)
{
    char *name = pool_name(h->linked, h->toolkit);
    struct worker_board *b = workers_find_board(all, name);

    if (b == NULL && workers_check_pools(all, token, r) == 0) {
        b = workers_board(all, name);
        b->is_pool = true;
        b->token = token;
    }
    free(name);
    return b;
}

/* Frees the pools in which nobody compiles any more. No board has one as its pool. */
static void
workers_drop_pools(struct workers *all)
{
    for (struct worker_board **at = &all->boards; *at != NULL;) {
        struct worker_board *b = *at;

        if (!b->is_pool || b->live > 0) {
            at = &b->next;
            continue;
        }
        *at = b->next;
        free(b->board);
        free(b);
    }
}

/* Has the worker gone, as far as can be seen? It neither judges nor waits for work, or
 * has missed two heartbeats, or has hung up while it waited. */
static bool
worker_is_away(const struct workers *all, const struct worker *w, uint64_t now)
{
    const uint64_t silent_ns = now - w->heard_ns;

    if (w->call != NULL)
        return call_has_hung_up(w->call);
    if (w->attempt == NULL)
        return silent_ns > AWAY_S * NS_PER_S;
    return w->attempt->phase != READING &&
           silent_ns > 2 * NS_PER_S * (uint64_t)workers_heartbeat_s(all);
}

/* Finds the worker of the token that is away for longest, or NULL. One without work comes
 * before one that has some. *count is how many workers the token has. */
static struct worker *
workers_find_away(const struct workers *all, int64_t token, int *count)
{
    const uint64_t now = now_ns();
    struct worker *away = NULL;

    *count = 0;
    for (struct worker *w = all->first; w != NULL; w = w->next) {
        if (w->token != token)
            continue;
        ++*count;
        if (worker_is_away(all, w, now) &&
            (away == NULL || (w->attempt == NULL && away->attempt != NULL) ||
             ((w->attempt == NULL) == (away->attempt == NULL) &&
              w->heard_ns < away->heard_ns)))
            away = w;
    }
    return away;
}

/* Of all tokens' workers that are away and have no work the one that is silent for
 * longest, or NULL. */
static struct worker *
workers_find_idle(const struct workers *all)
{
    const uint64_t now = now_ns();
    struct worker *idle = NULL;

    for (struct worker *w = all->first; w != NULL; w = w->next)
        if (w->attempt == NULL && worker_is_away(all, w, now) &&
            (idle == NULL || w->heard_ns < idle->heard_ns))
            idle = w;
    return idle;
}

/* Is there place for one more of the token's workers? One that is away makes it. A node
 * that is started again and again takes no more places than its token has, and has one.
 */
static bool
workers_have_place(struct workers *all, int64_t token, struct report *r)
{
    const int most = all->daemon->settings.token_workers;
    int count;
    struct worker *away = workers_find_away(all, token, &count);

    if (count < most && all->count < WORKERS_MAX)
        return true;
    if (away == NULL && count < most)
        away = workers_find_idle(all);
    if (away != NULL) {
        workers_remove(all, away, "it is silent, and another worker needs its place");
        queue_step_soon(all->daemon->queue);
        return true;
    }
    if (count >= most)
        report_fail(r,
                    "this token has %d workers, which is the most (workers-per-token): "
                    "one must leave first, or be silent",
                    count);
    else
        report_fail(r, "there are %d workers, which is the most", WORKERS_MAX);
    return false;
}

struct worker *
workers_add(struct workers *all, const struct worker_hello *h, const struct identity *who,
            struct report *r)
{
    const int64_t token = who->token;
    struct worker_board *board;
    struct worker *w;

    if (!workers_have_place(all, token, r))
        return NULL;
    board = h->role == WORKER_COMPILES ? workers_pool(all, h, token, r)
                                       : workers_board(all, h->board);
    if (board == NULL)
        return NULL;
    w = xcalloc(1, sizeof *w);
    *w = (struct worker){.next = all->first,
                         .at = &all->first,
                         .number = ++all->registered,
                         .token = token,
                         .expires_ms = who->expires_ms,
                         .role = h->role,
                         .linked = xstrdup(h->linked),
                         .siblings = xstrdup(h->siblings),
                         .node = xstrdup(h->node),
                         .device = xstrdup(h->device),
                         .title = xstrdup(h->title),
                         .arch = xstrdup(h->arch),
                         .toolkit = xstrdup(h->toolkit),
                         .driver = xstrdup(h->driver),
                         .lacks = xstrdup(h->lacks),
                         .memory_bytes = h->memory_bytes,
                         .insecure = h->insecure,
                         .board = board,
                         .heard_ns = now_ns()};
    worker_secret(w->id);
    worker_meet(w, all->first);
    worker_moved(w);
    if (w->next != NULL)
        w->next->at = &w->next;
    all->first = w;
    all->count++;
    worker_counts(all, w, 1);
    workers_look_at_rests(all, now_ns());
    if (w->role == WORKER_COMPILES)
        log_line("worker %s of %s compiles with toolkit %s", w->device, w->node,
                 w->toolkit);
    else
        log_line("worker %s of %s judges for %s", w->device, w->node, w->board->board);
    return w;
}

struct worker *
workers_heard(struct workers *all, const char *id, int64_t token)
{
    struct worker *w = all->first;

    while (w != NULL && strcmp(w->id, id) != 0)
        w = w->next;
    if (w == NULL || w->token != token)
        return NULL;
    w->heard_ns = now_ns();
    return w;
}

/* Takes a worker that neither waits nor has a lease out of the list. The boards are to be
 * counted after that, and the worker is to be freed. */
static void
worker_take_out(struct workers *all, struct worker *w, const char *why)
{
    log_line("worker %s of %s is gone: %s", w->device, w->node, why);
    worker_leave_siblings(w);
    *w->at = w->next;
    if (w->next != NULL)
        w->next->at = w->at;
    w->board->live -= w->drained == NULL;
    w->board->able -= w->role == WORKER_COMPILES && worker_may_compile(w);
    all->count--;
}

void
workers_remove(struct workers *all, struct worker *w, const char *why)
{
    worker_stop_waiting(w);
    if (w->attempt != NULL)
        lease_lost(w->attempt, why);
    worker_take_out(all, w, why);
    workers_count_boards(all);
    workers_drop_pools(all);
    worker_free(w);
}

/* Answers a call that waits for work, whose token is not good any more. */
static void
answer_over(struct http_call *c, void *arg)
{
    const struct worker *w = arg;

    if (worker_may_go_on(c, w->role))
        answer_nothing(c, NULL);
}

void
workers_end(struct workers *all, bool (*is_over)(const struct worker *w, void *arg),
            void *arg, const char *why)
{
    struct worker *next, *gone = NULL;

    for (struct worker *w = all->first; w != NULL; w = next) {
        struct waiting_call *call = w->call;

        next = w->next;
        if (!is_over(w, arg))
            continue;
        w->call = NULL;
        worker_unlink(w);
        if (call != NULL)
            call_resume(call, answer_over, w);
        if (w->attempt != NULL)
            lease_void(w->attempt, why);
        worker_take_out(all, w, why);
        w->next = gone;
        gone = w;
    }
    if (gone == NULL)
        return;
    workers_count_boards(all);
    workers_drop_pools(all);
    for (; gone != NULL; gone = next) {
        next = gone->next;
        worker_free(gone);
    }
}

/* What was measured on the board's other nodes that judge. The caller frees. */
static struct node_rates *
workers_other_rates(const struct workers *all, const struct worker *w, size_t *count)
{
    struct node_rates *list = xcalloc((size_t)all->count, sizeof *list);

    *count = 0;
    for (const struct worker *other = all->first; other != NULL; other = other->next)
        if (other->board == w->board && other->drained == NULL &&
            strcmp(other->node, w->node) != 0)
            list[(*count)++] = other->rates;
    return list;
}

void
workers_note_rates(struct workers *all, struct worker *w, const char *conditions)
{
    struct node_rates rates, *others;
    size_t count;

    if (w->drained != NULL || !agreement_read(conditions, &rates))
        return;
    if (!(w->first.copy_gbs > 0))
        w->first = rates;
    w->rates = rates;
    others = workers_other_rates(all, w, &count);
    w->drained = agreement_off(&rates, others, count);
    free(others);
    if (w->drained == NULL)
        return;
    worker_counts(all, w, -1);
    log_line("worker %s of %s gets no work any more: %s", w->device, w->node, w->drained);
}

/* Ends a wait that has lasted long enough, or whose call is gone. Is the worker there
 * still? One that was killed is silent from now on, as is one that has lost no more than
 * this connection. That one asks again before it has been silent for too long. */
static bool
worker_look_at_wait(const struct workers *all, struct worker *w, uint64_t now,
                    int *answers)
{
    if (call_is_gone(w->call)) {
        worker_stop_waiting(w);
        return false;
    }
    if (!w->hung_up && (uint64_t)w->number % HANGUP_LOOKS == all->looks)
        w->hung_up = call_has_hung_up(w->call);
    if (!w->hung_up)
        w->heard_ns = now;
    if (now >= w->call_until_ns && (*answers)++ < ANSWERS_MAX)
        worker_stop_waiting(w);
    return !w->hung_up;
}

static bool
worker_is_silent(const struct workers *all, const struct worker *w, uint64_t now)
{
    return now - w->heard_ns > (uint64_t)all->daemon->settings.lease_s * NS_PER_S;
}

/* For how many seconds it may have a submission. What only is compiled there costs
 * nothing when it is compiled elsewhere, so that nobody waits for long. */
static int
worker_limit_s(const struct workers *all, const struct worker *w)
{
    const struct settings *s = &all->daemon->settings;

    if (w->role == WORKER_COMPILES && s->lease_s < s->lease_limit_s / COMPILE_LEASES)
        return s->lease_s * COMPILE_LEASES;
    return s->lease_limit_s;
}

/* Has it had its submission for longer than it may? */
static bool
worker_is_late(const struct workers *all, const struct worker *w, uint64_t now)
{
    return w->attempt != NULL && now - w->attempt->lease->begun_ns >
                                     (uint64_t)worker_limit_s(all, w) * NS_PER_S;
}

/* Gives up a worker that is silent, or what a worker has had for too long. */
static void
worker_give_up(struct workers *all, struct worker *w, uint64_t now)
{
    const struct settings *s = &all->daemon->settings;
    char *why;

    if (worker_is_silent(all, w, now)) {
        why = xasprintf("it was not heard for %d s", s->lease_s);
        workers_remove(all, w, why);
    } else {
        why = xasprintf("its worker had it for %d s, and there is no result",
                        worker_limit_s(all, w));
        lease_lost(w->attempt, why);
    }
    free(why);
}

static void
workers_give_up(struct workers *all, struct worker *const *lost, size_t count,
                uint64_t now)
{
    struct attempt *attempts[LOST_MAX];
    size_t n = 0;

    for (size_t i = 0; i < count; i++)
        if (lost[i]->attempt != NULL)
            attempts[n++] = lost[i]->attempt;
    leases_store_loss(all->daemon->store, attempts, n);
    for (size_t i = 0; i < count; i++)
        worker_give_up(all, lost[i], now);
    queue_step(all->daemon->queue);
}

/* Ends waits that have lasted long enough, and gives up workers that are not heard or
 * have no result for too long. */
static void
workers_on_look(evutil_socket_t fd, short what, void *arg)
{
    LOOP_HANDLER("the look at the workers");
    struct workers *all = arg;
    const uint64_t now = now_ns();
    const bool rested = workers_look_at_rests(all, now);
    struct worker *lost[LOST_MAX];
    size_t count = 0;
    bool expired = false;
    int answers = 0;

    (void)fd;
    (void)what;
    all->looks = (all->looks + 1) % HANGUP_LOOKS;
    for (struct worker *w = all->first; w != NULL; w = w->next) {
        /* Nothing but a token that expires asks for the wall clock. */
        expired = expired || (w->expires_ms != 0 && w->expires_ms <= now_ms());
        if (w->attempt != NULL && w->attempt->phase == READING)
            w->heard_ns = now; /* it waits for an answer */
        else if (w->call != NULL && worker_look_at_wait(all, w, now, &answers))
            continue;
        else if (count < LOST_MAX &&
                 (worker_is_silent(all, w, now) || worker_is_late(all, w, now)))
            lost[count++] = w;
    }
    if (count > 0)
        workers_give_up(all, lost, count, now);
    if (expired)
        worker_tokens_look(all->daemon);
    if (rested)
        queue_step(all->daemon->queue);
}

struct workers *
workers_new(struct daemon *d)
{
    static const struct timeval often = {.tv_sec = LOOK_S};
    struct workers *all = xcalloc(1, sizeof *all);

    all->daemon = d;
    all->rests = compiler_rests_new();
    all->look = event_new(d->base, -1, EV_PERSIST, workers_on_look, all);
    if (all->look == NULL || event_add(all->look, &often) != 0)
        die(4, "out of memory");
    return all;
}

void
workers_free(struct workers *all)
{
    if (all == NULL)
        return;
    for (struct worker *w = all->first, *next; w != NULL; w = next) {
        next = w->next;
        if (w->call != NULL)
            call_resume(w->call, NULL, NULL);
        worker_free(w);
    }
    for (struct worker_board *b = all->boards, *next; b != NULL; b = next) {
        next = b->next;
        free(b->board);
        free(b);
    }
    event_free(all->look);
    compiler_rests_free(all->rests);
    free(all);
}

/* --- what others ask ---------------------------------------------------- */

int
workers_heartbeat_s(const struct workers *all)
{
    const int quarter = all->daemon->settings.lease_s / 4;

    return quarter > 1 ? quarter : 1;
}

/* Says why the worker rests, and for how long. */
static void
worker_add_rest(cJSON *o, const struct worker *w)
{
    const uint64_t now = now_ns(), until = w->rest.until_ns;
    char *text;

    if (until <= now)
        return;
    text = xasprintf("%s gave back %d submissions one after another; it gets work again "
                     "in %d s",
                     w->rest.of_token ? "workers with its token" : "its node",
                     w->rest.given_back, (int)((until - now) / NS_PER_S) + 1);
    cJSON_AddStringToObject(o, "resting", text);
    free(text);
}

cJSON *
worker_json(const struct worker *w)
{
    const uint64_t heard_s = (now_ns() - w->heard_ns) / NS_PER_S;
    const struct attempt *a = w->holder != NULL ? w->holder->attempt : w->attempt;
    char *no_pair = worker_why_no_pair(w);
    cJSON *o = cJSON_CreateObject();

    cJSON_AddStringToObject(o, "node", w->node);
    cJSON_AddStringToObject(o, "device", w->device);
    cJSON_AddStringToObject(o, "role", worker_role_name(w->role));
    cJSON_AddStringToObject(o, "board", w->board->is_pool ? "" : w->board->board);
    cJSON_AddStringToObject(o, "title", w->title);
    cJSON_AddStringToObject(o, "toolkit", w->toolkit);
    cJSON_AddStringToObject(o, "linked", w->linked);
    cJSON_AddStringToObject(o, "driver", w->driver);
    cJSON_AddStringToObject(o, "lacks", w->lacks);
    cJSON_AddBoolToObject(o, "insecure", w->insecure);
    cJSON_AddNumberToObject(o, "memory_bytes", (double)w->memory_bytes);
    cJSON_AddNumberToObject(o, "heard_seconds", (double)heard_s);
    cJSON_AddNumberToObject(o, "judged", (double)w->judged);
    cJSON_AddNumberToObject(o, "lost", (double)w->lost);
    if (w->first.copy_gbs > 0)
        cJSON_AddNumberToObject(o, "drift_percent",
                                100 * (w->rates.copy_gbs / w->first.copy_gbs - 1));
    if (w->drained != NULL)
        cJSON_AddStringToObject(o, "drained", w->drained);
    worker_add_rest(o, w);
    if (no_pair != NULL)
        cJSON_AddStringToObject(o, "no_pair", no_pair);
    free(no_pair);
    /* A house's solution is no submission. */
    if (a != NULL && a->idle != IDLE_HOUSE) {
        cJSON_AddNumberToObject(o, "submission", (double)a->id);
        cJSON_AddNumberToObject(o, "attempt", a->number);
    }
    return o;
}

int
workers_count(const struct workers *all)
{
    return all->count;
}

const struct worker *
workers_before(const struct workers *all, int64_t number)
{
    const struct worker *w = all->first;

    while (w != NULL && w->number >= number)
        w = w->next;
    return w;
}
