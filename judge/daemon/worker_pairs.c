#include "daemon/worker_pairs.h"

#include "base/buf.h"
#include "daemon/workers.h"

#include <stdint.h>
#include <string.h>

/* --- siblings ----------------------------------------------------------- */

/* Do both belong to one program, and may they judge together? The token is compared, too:
 * nobody else's worker becomes a sibling by guessing. */
static bool
worker_is_sibling(const struct worker *a, const struct worker *b)
{
    return a != b && a->siblings[0] != '\0' && strcmp(a->siblings, b->siblings) == 0 &&
           a->token == b->token && a->board == b->board && a->role == b->role &&
           a->role == WORKER_JUDGES && strcmp(a->device, b->device) != 0;
}

void
worker_meet(struct worker *w, struct worker *list)
{
    w->sibling = w;
    for (struct worker *other = list; other != NULL; other = other->next)
        if (worker_is_sibling(w, other)) {
            w->sibling = other->sibling;
            other->sibling = w;
            return;
        }
}

void
worker_part(struct worker *w)
{
    if (w->partner != NULL)
        w->partner->holder = NULL;
    w->partner = NULL;
}

void
worker_leave_siblings(struct worker *w)
{
    struct worker *before = w;

    worker_part(w);
    if (w->holder != NULL)
        w->holder->partner = NULL;
    w->holder = NULL;
    while (before->sibling != w)
        before = before->sibling;
    before->sibling = w->sibling;
    w->sibling = w;
}

bool
worker_is_of_pair(const struct worker *w)
{
    if (w->drained != NULL)
        return false;
    for (const struct worker *s = w->sibling; s != w; s = s->sibling)
        if (s->drained == NULL && strcmp(s->device, w->device) != 0)
            return true;
    return false;
}

/* Do any two of its program get work? */
static bool
worker_ring_has_pair(const struct worker *w)
{
    const struct worker *s = w;

    do {
        if (worker_is_of_pair(s))
            return true;
        s = s->sibling;
    } while (s != w);
    return false;
}

char *
worker_why_no_pair(const struct worker *w)
{
    const struct worker *s = w->sibling;

    while (s != w && strcmp(s->device, w->device) == 0)
        s = s->sibling;
    if (w->drained == NULL || s == w || worker_ring_has_pair(w))
        return NULL;
    return xasprintf("a problem for two GPUs needs both %s and %s of %s, and %s gets no "
                     "work: %s",
                     s->device, w->device, w->node, w->device, w->drained);
}

char *
workers_why_no_pair(const struct workers *all, const struct worker_board *b)
{
    char *why = NULL;

    if (b->has_pair)
        return NULL;
    for (const struct worker *w = workers_before(all, INT64_MAX);
         w != NULL && why == NULL; w = workers_before(all, w->number))
        if (w->board == b)
            why = worker_why_no_pair(w);
    return why != NULL
               ? why
               : xasprintf("a problem for two GPUs needs a worker with two of %s, "
                           "and none is there",
                           b->board);
}

/* --- who gets two ------------------------------------------------------- */

bool
worker_is_free(const struct worker *w)
{
    return w->waiting_at != NULL && w->holder == NULL && !w->kept;
}

static struct worker *
worker_free_sibling(const struct worker *w)
{
    for (struct worker *s = w->sibling; s != w; s = s->sibling)
        if (worker_is_free(s) && strcmp(s->device, w->device) != 0)
            return s;
    return NULL;
}

void
worker_board_unkeep(struct worker_board *b)
{
    if (!b->keeps)
        return;
    for (struct worker *w = b->waiting; w != NULL; w = w->next_waiting)
        w->kept = false;
    b->keeps = false;
}

struct worker *
worker_board_take_pair(struct worker_board *b,
                       bool (*fits)(const struct worker *w, const void *arg),
                       const void *arg)
{
    struct worker *keep = NULL;

    for (struct worker *w = b->waiting; w != NULL; w = w->next_waiting) {
        struct worker *partner;

        if (!worker_is_free(w) || !fits(w, arg) || !worker_is_of_pair(w))
            continue;
        partner = worker_free_sibling(w);
        if (partner != NULL) {
            worker_unlink(w);
            w->partner = partner;
            partner->holder = w;
            return w;
        }
        if (keep == NULL || w->number < keep->number)
            keep = w;
    }
    if (keep != NULL) {
        keep->kept = true;
        b->keeps = true;
    }
    return NULL;
}
