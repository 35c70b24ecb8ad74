#include "daemon/damage_check.h"

#include "base/buf.h"
#include "daemon/arguments.h"
#include "daemon/daemon.h"
#include "daemon/log.h"
#include "daemon/thread.h"
#include "record/store_check.h"

#include <errno.h>
#include <event2/event.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

struct damage_check {
    struct store_check *store;
    pthread_t thread;
    int ended[2]; /* a pipe, which the thread closes at its end */
    struct event *event;
    /* The thread writes these before its end. */
    int rc;
    bool damaged;
    struct report why;
};

static void *
damage_check_run(void *arg)
{
    struct damage_check *c = arg;

    c->rc = store_check_run(c->store, &c->damaged, &c->why);
    close(c->ended[1]);
    return NULL;
}

static void
damage_check_on_end(evutil_socket_t fd, short what, void *arg)
{
    struct damage_check *c = arg;

    (void)fd;
    (void)what;
    event_del(c->event);
    if (c->rc == 0)
        log_line("the database was checked: it is whole");
    else if (c->damaged)
        die(EXIT_BAD_INPUT, "%s", c->why.text);
    else
        log_line("%s", c->why.text);
}

struct damage_check *
damage_check_new(struct daemon *d, struct report *r)
{
    struct damage_check *c = xcalloc(1, sizeof *c);

    if (pipe2(c->ended, O_CLOEXEC | O_NONBLOCK) != 0) {
        report_errno(r, "no pipe can be made");
        free(c);
        return NULL;
    }
    c->event = event_new(d->base, c->ended[0], EV_READ, damage_check_on_end, c);
    c->store = store_check_new(d->config.database, r);
    if (c->event == NULL || event_add(c->event, NULL) != 0)
        die(4, "out of memory");
    if (c->store != NULL && thread_start(&c->thread, damage_check_run, c, r) == 0)
        return c;
    event_free(c->event);
    store_check_free(c->store);
    close(c->ended[0]);
    close(c->ended[1]);
    free(c);
    return NULL;
}

void
damage_check_free(struct damage_check *c)
{
    static const struct timespec moment = {.tv_nsec = 1000000};

    if (c == NULL)
        return;
    /* A stop is forgotten where the thread has not begun to read. */
    do
        store_check_stop(c->store);
    while (pthread_tryjoin_np(c->thread, NULL) == EBUSY && nanosleep(&moment, NULL) <= 0);
    event_free(c->event);
    close(c->ended[0]);
    store_check_free(c->store);
    free(c);
}
