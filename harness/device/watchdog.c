#include "device/watchdog.h"

#include "base/buf.h"
#include "base/file.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

/* How often the thread looks. No request wakes the thread, because a judgement has
 * hundreds of requests, and hardly ever is one slow. */
#define LOOK_MS 100

struct watchdog {
    uint64_t limit_ns;
    struct watchdog_acts acts;
    void *arg;
    pthread_t thread;
    pthread_mutex_t lock; /* held while we act too, so that no request ends meanwhile */
    pthread_cond_t stopping;
    /* under the lock */
    bool waits;              /* a request is under way */
    uint64_t since_ns;       /* when it began */
    bool interrupted;        /* this request was, first at... */
    uint64_t interrupted_ns; /* ... this time */
    bool stop, gave_up;
};

static uint64_t
watchdog_clock_ns(const struct watchdog *w)
{
    return w->acts.clock_ns != NULL ? w->acts.clock_ns(w->arg) : now_ns();
}

/* This thread may wait for a CPU for longer than any limit, so that its first look comes
 * late. What counts before a request is given up is the time since its interruption. */
static void
watchdog_look(struct watchdog *w)
{
    const uint64_t now = w->waits ? watchdog_clock_ns(w) : 0;

    if (!w->waits || w->gave_up || now - w->since_ns <= w->limit_ns)
        return;
    if (!w->interrupted)
        w->interrupted_ns = now;
    w->interrupted = true;
    if (now - w->interrupted_ns <= w->limit_ns) {
        w->acts.interrupt(w->arg);
    } else {
        w->gave_up = true;
        w->acts.give_up(w->arg);
    }
}

static void *
watchdog_run(void *arg)
{
    struct watchdog *w = arg;

    pthread_mutex_lock(&w->lock);
    while (!w->stop) {
        struct timespec next;

        (void)clock_gettime(CLOCK_MONOTONIC, &next);
        next.tv_nsec += LOOK_MS * 1000000L;
        if (next.tv_nsec >= 1000000000L) {
            next.tv_nsec -= 1000000000L;
            next.tv_sec++;
        }
        (void)pthread_cond_timedwait(&w->stopping, &w->lock, &next);
        watchdog_look(w);
    }
    pthread_mutex_unlock(&w->lock);
    return NULL;
}

struct watchdog *
watchdog_new(uint64_t limit_ms, const struct watchdog_acts *acts, void *arg,
             struct report *r)
{
    struct watchdog *w = xcalloc(1, sizeof *w);
    pthread_condattr_t attributes;

    w->limit_ns = limit_ms * 1000000u;
    w->acts = *acts;
    w->arg = arg;
    pthread_mutex_init(&w->lock, NULL);
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&w->stopping, &attributes);
    pthread_condattr_destroy(&attributes);
    if (pthread_create(&w->thread, NULL, watchdog_run, w) != 0) {
        report_fail(r, "no thread to watch how long a device takes");
        pthread_cond_destroy(&w->stopping);
        pthread_mutex_destroy(&w->lock);
        free(w);
        return NULL;
    }
    return w;
}

void
watchdog_free(struct watchdog *w)
{
    if (w == NULL)
        return;
    pthread_mutex_lock(&w->lock);
    w->stop = true;
    pthread_cond_signal(&w->stopping);
    pthread_mutex_unlock(&w->lock);
    pthread_join(w->thread, NULL);
    pthread_cond_destroy(&w->stopping);
    pthread_mutex_destroy(&w->lock);
    free(w);
}

void
watchdog_begin(struct watchdog *w)
{
    pthread_mutex_lock(&w->lock);
    w->waits = true;
    w->interrupted = false;
    w->since_ns = watchdog_clock_ns(w);
    pthread_mutex_unlock(&w->lock);
}

bool
watchdog_end(struct watchdog *w)
{
    bool gave_up;

    pthread_mutex_lock(&w->lock);
    w->waits = false;
    gave_up = w->gave_up;
    pthread_mutex_unlock(&w->lock);
    return gave_up;
}
