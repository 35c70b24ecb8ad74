#include "daemon/lease_choice.h"

#include "base/buf.h"
#include "compile/library.h"
#include "daemon/archives.h"
#include "daemon/attempt.h"
#include "daemon/attempt_lease.h"
#include "daemon/line.h"
#include "daemon/specs.h"
#include "daemon/worker_pairs.h"
#include "daemon/workers.h"

#include <string.h>

/* How many attempts of a board may be compiled before a worker is free for them, beside
 * one for each worker. Their artefacts lie on the daemon's disk. */
#define COMPILED_AHEAD 16

/* Can the worker take it, to judge it? Where it is compiled already, `arg` is the name of
 * the pool. */
static bool
worker_fits(const struct worker *w, const void *arg)
{
    return arg == NULL || worker_takes_from(w, arg);
}

/* Is it compiled by a worker that only does that? */
static bool
lease_is_split(const struct attempt *a, const struct problem *p)
{
    const struct worker_board *pool = a->line->workers->pool;

    if (pool == NULL || a->number > 1 || a->spared ||
        workers_pool_is_stuck(a->daemon->workers, pool))
        return false;
    return a->profile == PROFILE_GRADE_COMPILE || !libraries_any_linked(p->libraries);
}

static bool
compiler_fits(const struct worker *w, const void *arg)
{
    (void)arg;
    return worker_may_compile(w);
}

static struct worker *
lease_choose_compiler(const struct attempt *a)
{
    struct worker_board *board = a->line->workers;
    struct worker *w;

    if (board->compiled >= board->live + COMPILED_AHEAD)
        return NULL;
    w = worker_board_take(board->pool, compiler_fits, NULL);
    board->compiled += w != NULL;
    return w;
}

/* May a worker have it? What comes next on a device of this machine is that device's. */
static bool
lease_is_wanted(const struct attempt *a)
{
    const struct worker_board *board = a->line->workers;
    const bool any =
        board->waiting != NULL || (board->pool != NULL && board->pool->waiting != NULL);

    /* What is judged in idle time is this machine's where it has a device. */
    if (!any || a->lease != NULL ||
        (a->idle != IDLE_NOT && a->line->width > 0 && !a->for_pair))
        return false;
    if (a->phase == READY)
        return a->artefact_pool != NULL;
    return a->phase == QUEUED && !line_has_in_front(a->line, a);
}

/* Does the problem need two GPUs where the attempt is judged? On emu an arbiter has as
 * many as it needs. */
static bool
lease_needs_two_of(const struct attempt *a, const struct problem *p)
{
    return p != NULL && p->gpus >= 2 && strcmp(attempt_board(a), "emu") != 0;
}

/* Does the attempt need two GPUs, while this machine has one of its board, and workers
 * have had two or may still register (queue_awaits_workers())? */
static bool
lease_is_for_pair(const struct attempt *a)
{
    const struct devices *devices = &a->daemon->devices;
    const struct device_entry *e = devices_find(devices, a->device);

    return a->needs_two && e != NULL && !e->remote &&
           devices_partner(devices, e) == NULL &&
           (e->pair_gpus >= 2 || queue_awaits_workers(a->queue));
}

void
lease_note_pair(struct attempt *a)
{
    a->for_pair = lease_is_for_pair(a);
}

void
lease_note_gpus(struct attempt *a, const struct problem *p)
{
    a->needs_two = lease_needs_two_of(a, p);
    if (a->phase == QUEUED)
        lease_note_pair(a);
}

char *
lease_why_waits(const struct attempt *a)
{
    const struct device_entry *e = devices_find(&a->daemon->devices, a->device);
    const bool waits = a->phase == QUEUED || (a->phase == READY && lease_is_ahead(a));

    if (!waits || a->lease != NULL || e == NULL || !(e->remote || a->for_pair))
        return NULL;
    if (a->needs_two)
        return workers_why_no_pair(a->daemon->workers, a->line->workers);
    return e->remote && a->line->workers->live == 0
               ? xasprintf("no worker judges for %s at the moment", e->board)
               : NULL;
}

struct worker *
lease_choose(struct attempt *a)
{
    struct report r = {0};
    bool exists, two;
    const struct problem *p;

    if (!lease_is_wanted(a))
        return NULL;
    p = specs_get(a->daemon->specs, a->problem, &exists, &r);
    two = lease_needs_two_of(a, p);
    if ((two && !a->line->workers->has_pair) ||
        archives_is_packing(a->daemon->archives, a->problem))
        return NULL;
    if (p != NULL && a->artefact_pool == NULL && lease_is_split(a, p))
        return lease_choose_compiler(a);
    if (two)
        return worker_board_take_pair(a->line->workers, worker_fits, a->artefact_pool);
    return worker_board_take(a->line->workers, worker_fits, a->artefact_pool);
}

bool
lease_fits_nobody(struct attempt *a)
{
    const struct workers *all = a->daemon->workers;

    if (a->phase != READY || a->artefact_pool == NULL || a->lease != NULL)
        return false;
    if (a->artefact_void)
        return true;
    if (a->artefact_looked == workers_generation(all))
        return false;
    a->artefact_looked = workers_generation(all);
    /* While nobody is there, it waits, unless this machine can judge it. */
    if (a->line->workers->live == 0)
        return a->line->width > 0 && !a->for_pair;
    return !workers_any_takes(all, a->line->workers, a->artefact_pool);
}

bool
lease_is_ahead(const struct attempt *a)
{
    return a->artefact_pool != NULL ||
           (a->lease != NULL && a->lease->kind == LEASE_COMPILE);
}

bool
lease_is_judged(const struct attempt *a)
{
    return a->lease != NULL && a->lease->kind == LEASE_JUDGE;
}
