#include "daemon/checkpoints.h"

#include "base/buf.h"
#include "daemon/daemon.h"
#include "daemon/log.h"
#include "daemon/loop_watch.h"
#include "daemon/thread.h"
#include "record/store_checkpoint.h"

#include <event2/event.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

/* A checkpoint, as its thread gives it to the loop. */
struct checkpoint_result {
    int rc;
    struct log_pages pages;
    struct report why;
};

struct checkpoints {
    struct daemon *daemon;
    struct store_checkpoint *store; /* the thread's */
    struct event *event;            /* told is readable */
    int told;                       /* an eventfd: a checkpoint has ended */
    bool running;                   /* from its order until the loop has its result */
    int length, copied;             /* of the log, in pages, as the loop knows it */

    pthread_t thread;
    bool started;
    pthread_mutex_t lock; /* of what follows */
    pthread_cond_t work;
    bool ordered, ends;
    struct checkpoint_result result;
};

/* --- the thread --------------------------------------------------------- */

static void *
checkpoints_run(void *arg)
{
    struct checkpoints *c = arg;

    pthread_mutex_lock(&c->lock);
    for (;;) {
        struct checkpoint_result result = {0};

        while (!c->ends && !c->ordered)
            pthread_cond_wait(&c->work, &c->lock);
        if (c->ends)
            break;
        c->ordered = false;
        pthread_mutex_unlock(&c->lock);
        result.rc = store_checkpoint_run(c->store, &result.pages, &result.why);
        pthread_mutex_lock(&c->lock);
        c->result = result;
        (void)eventfd_write(c->told, 1); /* it fails only where it is told already */
    }
    pthread_mutex_unlock(&c->lock);
    return NULL;
}

/* --- the loop ----------------------------------------------------------- */

static void
checkpoints_on_commit(void *arg, int length)
{
    struct checkpoints *c = arg;

    if (length < c->length) /* the log has begun anew */
        c->copied = 0;
    c->length = length;
    if (c->running || length - c->copied < CHECKPOINT_PAGES)
        return;
    c->running = true;
    pthread_mutex_lock(&c->lock);
    c->ordered = true;
    pthread_cond_signal(&c->work);
    pthread_mutex_unlock(&c->lock);
}

static void
checkpoints_take(struct checkpoints *c, int rc, const struct log_pages *pages,
                 const struct report *why)
{
    if (rc != 0)
        log_line("%s", why->text);
    /* What failed is tried again after as many pages. A log of fewer pages than were
     * copied has begun anew since. */
    c->copied = rc != 0 || pages->copied > c->length ? c->length : pages->copied;
}

static void
checkpoints_on_end(evutil_socket_t fd, short what, void *arg)
{
    LOOP_HANDLER("the end of a checkpoint");
    struct checkpoints *c = arg;
    struct checkpoint_result result;
    struct log_pages pages;
    struct report why = {0};
    eventfd_t count;
    int rc;

    (void)fd;
    (void)what;
    (void)eventfd_read(c->told, &count);
    pthread_mutex_lock(&c->lock);
    result = c->result;
    pthread_mutex_unlock(&c->lock);
    c->running = false;
    checkpoints_take(c, result.rc, &result.pages, &result.why);
    if (result.rc != 0 || c->length < LOG_PAGES_LONG)
        return;
    rc = store_checkpoint_rest(c->daemon->store, &pages, &why);
    checkpoints_take(c, rc, &pages, &why);
}

struct checkpoints *
checkpoints_new(struct daemon *d, struct report *r)
{
    struct checkpoints *c = xcalloc(1, sizeof *c);

    c->daemon = d;
    pthread_mutex_init(&c->lock, NULL);
    pthread_cond_init(&c->work, NULL);
    c->told = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    c->event = event_new(d->base, c->told, EV_READ | EV_PERSIST, checkpoints_on_end, c);
    c->store = store_checkpoint_new(d->config.database, r);
    if (c->store != NULL &&
        (c->told < 0 || c->event == NULL || event_add(c->event, NULL) != 0))
        report_fail(r, "the end of a checkpoint cannot be waited for");
    else if (c->store != NULL && thread_start(&c->thread, checkpoints_run, c, r) == 0) {
        c->started = true;
        store_leave_checkpoints(d->store, checkpoints_on_commit, c);
        return c;
    }
    checkpoints_free(c);
    return NULL;
}

void
checkpoints_free(struct checkpoints *c)
{
    if (c == NULL)
        return;
    if (c->started) {
        store_leave_checkpoints(c->daemon->store, NULL, NULL);
        pthread_mutex_lock(&c->lock);
        c->ends = true;
        pthread_cond_signal(&c->work);
        pthread_mutex_unlock(&c->lock);
        pthread_join(c->thread, NULL);
    }
    if (c->event != NULL)
        event_free(c->event);
    if (c->told >= 0)
        close(c->told);
    store_checkpoint_free(c->store);
    pthread_cond_destroy(&c->work);
    pthread_mutex_destroy(&c->lock);
    free(c);
}
