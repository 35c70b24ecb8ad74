#include "daemon/purge.h"

#include "base/buf.h"
#include "base/file.h"
#include "daemon/daemon.h"
#include "daemon/log.h"
#include "daemon/loop_watch.h"
#include "daemon/queue.h"
#include "record/accounts.h"

#include <event2/event.h>
#include <stdlib.h>

#define RETRY_LATER_S 60

struct purge {
    struct daemon *daemon;
    struct event *step;
};

static void
purge_after(struct purge *p, int seconds)
{
    const struct timeval after = {.tv_sec = seconds};

    evtimer_add(p->step, &after);
}

/* Cancels one submission, or else removes the text of some. */
static int
purge_once(struct daemon *d, bool *more, struct report *r)
{
    int64_t id = 0;

    if (store_deleted_pending(d->store, &id, more, r) != 0)
        return -1;
    if (*more)
        return queue_cancel(d->queue, id, "its account was deleted", r);
    return store_purge(d->store, more, r);
}

static void
on_purge(evutil_socket_t fd, short what, void *arg)
{
    LOOP_HANDLER("what deleted accounts have sent");
    struct purge *p = arg;
    struct report r = {0};
    bool more = false;

    (void)fd;
    (void)what;
    if (purge_once(p->daemon, &more, &r) != 0) {
        log_line("what a deleted account has sent cannot be removed yet: %s", r.text);
        purge_after(p, RETRY_LATER_S);
    } else if (more) {
        purge_after(p, 0);
    }
}

void
purge_wake(struct purge *p)
{
    purge_after(p, 0);
}

struct purge *
purge_new(struct daemon *d)
{
    struct purge *p = xcalloc(1, sizeof *p);

    p->daemon = d;
    p->step = evtimer_new(d->base, on_purge, p);
    if (p->step == NULL)
        die(4, "out of memory");
    purge_wake(p);
    return p;
}

void
purge_free(struct purge *p)
{
    if (p == NULL)
        return;
    event_free(p->step);
    free(p);
}
