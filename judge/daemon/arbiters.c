#include "daemon/arbiters.h"

#include "base/buf.h"
#include "daemon/daemon.h"
#include "daemon/log.h"
#include "daemon/loop_watch.h"
#include "daemon/queue.h"
#include "record/job.h"

#include <event2/event.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* For so long the end of the daemon waits for them: 2 s. */
#define END_STEPS 400
#define END_STEP_NS 5000000L

struct idle_arbiter {
    struct idle_arbiter *next;
    struct arbiters *all;
    struct child *child;
    char *device;
    struct event *timer; /* it is told to leave then */
    bool leaves;
    void (*ended)(void *arg);
    void *arg;
};

struct arbiters {
    struct daemon *daemon;
    struct idle_arbiter *first;
    uint64_t fences; /* how many were drawn */
};

struct arbiters *
arbiters_new(struct daemon *d)
{
    struct arbiters *all = xcalloc(1, sizeof *all);

    all->daemon = d;
    return all;
}

uint64_t
arbiters_fence(struct arbiters *all)
{
    return ++all->fences;
}

static void
idle_arbiter_free(struct idle_arbiter *idle)
{
    struct idle_arbiter **at = &idle->all->first;

    while (*at != idle)
        at = &(*at)->next;
    *at = idle->next;
    event_free(idle->timer);
    free(idle->device);
    free(idle);
}

static void
idle_arbiter_dismiss(struct idle_arbiter *idle)
{
    if (!idle->leaves)
        child_stop(idle->child, ARBITER_LEAVE_S * UINT64_C(1000));
    idle->leaves = true;
}

void
arbiters_end(struct arbiters *all)
{
    const struct timespec step = {.tv_nsec = END_STEP_NS};

    for (struct idle_arbiter *idle = all->first; idle != NULL; idle = idle->next)
        idle_arbiter_dismiss(idle);
    for (int i = 0; i < END_STEPS && all->first != NULL; i++) {
        if (event_base_loop(all->daemon->base, EVLOOP_NONBLOCK) != 0)
            break;
        (void)nanosleep(&step, NULL);
    }
}

void
arbiters_free(struct arbiters *all)
{
    if (all == NULL)
        return;
    while (all->first != NULL)
        idle_arbiter_free(all->first);
    free(all);
}

static void
idle_arbiter_set_timer(struct idle_arbiter *idle)
{
    static const struct timeval after = {.tv_sec = ARBITER_IDLE_S};

    if (evtimer_add(idle->timer, &after) != 0)
        die(4, "out of memory");
}

/* The end of a context takes the GPU some time, which would disturb timed calls. So an
 * arbiter does not leave beside one that judges. */
static void
idle_arbiter_on_timer(evutil_socket_t fd, short what, void *arg)
{
    struct idle_arbiter *idle = arg;
    LOOP_HANDLER("an idle arbiter");

    (void)fd;
    (void)what;
    if (queue_device_busy(idle->all->daemon->queue, idle->device))
        idle_arbiter_set_timer(idle);
    else
        idle_arbiter_dismiss(idle);
}

/* It has nothing to say while it is idle. What it says is not of any judgement. */
static void
idle_arbiter_line(void *arg, const char *line)
{
    struct idle_arbiter *idle = arg;

    log_line("an idle arbiter of %s said: %s", idle->device, line);
    idle_arbiter_dismiss(idle);
}

static void
idle_arbiter_ended(void *arg, const struct child_end *end)
{
    struct idle_arbiter *idle = arg;
    void (*ended)(void *arg) = idle->ended;
    void *of = idle->arg;

    if (end->signaled || end->code != 0) {
        char *text = child_end_text(end);

        log_line("an idle arbiter of %s %s", idle->device, text);
        free(text);
    }
    idle_arbiter_free(idle);
    ended(of);
}

void
arbiters_keep(struct arbiters *all, const char *device, struct child *child,
              void (*ended)(void *arg), void *arg)
{
    struct idle_arbiter *idle = xcalloc(1, sizeof *idle);
    const struct child_spec spec = {.name = device,
                                    .line = idle_arbiter_line,
                                    .ended = idle_arbiter_ended,
                                    .arg = idle};

    *idle = (struct idle_arbiter){.next = all->first,
                                  .all = all,
                                  .child = child,
                                  .device = xstrdup(device),
                                  .ended = ended,
                                  .arg = arg};
    all->first = idle;
    idle->timer = evtimer_new(all->daemon->base, idle_arbiter_on_timer, idle);
    if (idle->timer == NULL)
        die(4, "out of memory");
    idle_arbiter_set_timer(idle);
    child_hand_over(child, &spec);
}

struct child *
arbiters_take(struct arbiters *all, const char *device, const struct child_spec *spec)
{
    for (struct idle_arbiter *idle = all->first; idle != NULL; idle = idle->next)
        if (!idle->leaves && strcmp(idle->device, device) == 0) {
            struct child *child = idle->child;

            child_hand_over(child, spec);
            idle_arbiter_free(idle);
            return child;
        }
    return NULL;
}

bool
arbiters_dismiss(struct arbiters *all, const char *device)
{
    bool any = false;

    for (struct idle_arbiter *idle = all->first; idle != NULL; idle = idle->next)
        if (strcmp(idle->device, device) == 0) {
            idle_arbiter_dismiss(idle);
            any = true;
        }
    return any;
}
