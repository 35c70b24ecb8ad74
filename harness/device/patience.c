#include "device/patience.h"

#include "core/buf.h"
#include "core/file.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

/* The thread looks at this interval, rather than being woken for every request: there are
 * hundreds of them in a judgement, and hardly ever a slow one. */
#define LOOK_MS 100

struct patience {
    uint64_t limit_ns;
    struct patience_acts acts;
    void *arg;
    pthread_t thread;
    pthread_mutex_t lock; /* also held while we act: a request does not end meanwhile */
    pthread_cond_t stopping;
    /* under the lock */
    bool waits;        /* a request is under way */
    uint64_t since_ns; /* when it began */
    bool stop, gave_up;
};

static uint64_t
clock_of(const struct patience *p)
{
    return p->acts.clock_ns != NULL ? p->acts.clock_ns(p->arg) : now_ns();
}

static void
look(struct patience *p)
{
    uint64_t waited_ns = p->waits ? clock_of(p) - p->since_ns : 0;

    if (p->gave_up || waited_ns <= p->limit_ns)
        return;
    if (waited_ns <= 2 * p->limit_ns) {
        p->acts.interrupt(p->arg);
    } else {
        p->gave_up = true;
        p->acts.give_up(p->arg);
    }
}

static void *
watch(void *arg)
{
    struct patience *p = arg;

    pthread_mutex_lock(&p->lock);
    while (!p->stop) {
        struct timespec next;

        (void)clock_gettime(CLOCK_MONOTONIC, &next);
        next.tv_nsec += LOOK_MS * 1000000L;
        if (next.tv_nsec >= 1000000000L) {
            next.tv_nsec -= 1000000000L;
            next.tv_sec++;
        }
        (void)pthread_cond_timedwait(&p->stopping, &p->lock, &next);
        look(p);
    }
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

struct patience *
patience_new(uint64_t limit_ms, const struct patience_acts *acts, void *arg,
             struct report *r)
{
    struct patience *p = xcalloc(1, sizeof *p);
    pthread_condattr_t attributes;

    p->limit_ns = limit_ms * 1000000u;
    p->acts = *acts;
    p->arg = arg;
    pthread_mutex_init(&p->lock, NULL);
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&p->stopping, &attributes);
    pthread_condattr_destroy(&attributes);
    if (pthread_create(&p->thread, NULL, watch, p) != 0) {
        report_fail(r, "no thread to watch how long a device takes");
        pthread_cond_destroy(&p->stopping);
        pthread_mutex_destroy(&p->lock);
        free(p);
        return NULL;
    }
    return p;
}

void
patience_free(struct patience *p)
{
    if (p == NULL)
        return;
    pthread_mutex_lock(&p->lock);
    p->stop = true;
    pthread_cond_signal(&p->stopping);
    pthread_mutex_unlock(&p->lock);
    pthread_join(p->thread, NULL);
    pthread_cond_destroy(&p->stopping);
    pthread_mutex_destroy(&p->lock);
    free(p);
}

void
patience_begin(struct patience *p)
{
    pthread_mutex_lock(&p->lock);
    p->waits = true;
    p->since_ns = clock_of(p);
    pthread_mutex_unlock(&p->lock);
}

bool
patience_end(struct patience *p)
{
    bool gave_up;

    pthread_mutex_lock(&p->lock);
    p->waits = false;
    gave_up = p->gave_up;
    pthread_mutex_unlock(&p->lock);
    return gave_up;
}
