#include "daemon/drain.h"

#include "daemon/daemon.h"
#include "daemon/events.h"
#include "daemon/idle.h"
#include "daemon/log.h"
#include "daemon/previews.h"
#include "daemon/queue.h"
#include "daemon/streams.h"

#include <event2/event.h>
#include <string.h>

/* Rounds of the loop in which the last bytes go out: a stream's end, and its close. */
#define LAST_ROUNDS 8

static void
drain_on_timeout(evutil_socket_t fd, short what, void *arg)
{
    struct daemon *d = arg;

    (void)fd;
    (void)what;
    log_line("stopping at once: judgements have not ended within %d s and are made again "
             "after the next start",
             d->settings.drain_s);
    event_base_loopbreak(d->base);
}

void
drain_on_signal(evutil_socket_t number, short what, void *arg)
{
    struct daemon *d = arg;
    const struct timeval limit = {.tv_sec = d->settings.drain_s};

    (void)what;
    if (d->draining || d->settings.drain_s == 0) {
        log_line("stopping at once: %s", strsignal(number));
        d->draining = true;
        event_base_loopbreak(d->base);
        return;
    }
    d->draining = true;
    idle_stop(d);
    if (queue_is_drained(d->queue)) {
        log_line("stopping: %s", strsignal(number));
        event_base_loopbreak(d->base);
        return;
    }
    log_line("stopping: %s; what is judged ends first, for at most %d s (a second signal "
             "ends it at once)",
             strsignal(number), d->settings.drain_s);
    if (event_base_once(d->base, -1, EV_TIMEOUT, drain_on_timeout, d, &limit) != 0)
        event_base_loopbreak(d->base);
}

void
drain_streams(struct daemon *d)
{
    d->draining = true;
    streams_end(d->streams);
    previews_end(d->previews);
    events_end(d->events);
    for (int i = 0; i < LAST_ROUNDS; i++)
        if (event_base_loop(d->base, EVLOOP_NONBLOCK) != 0)
            break;
}
