#include "arbiter/calling/bus_meter.h"

#include "base/buf.h"
#include "base/file.h"
#include "base/report.h"

#include <pthread.h>
#include <stdlib.h>

#define YOUNG_NS 20000000u

struct bus_meter {
    struct device *device;
    pthread_t thread;
    pthread_mutex_t mutex;
    pthread_cond_t asked, answered;
    bool wanted, ends; /* the thread is to ask the GPU; it is to end */
    double bytes;      /* the latest count; < 0: not known */
    uint64_t at_ns;    /* when it was asked for */
};

static void *
answer(void *meter)
{
    struct bus_meter *m = meter;

    (void)pthread_mutex_lock(&m->mutex);
    while (!m->ends) {
        if (m->wanted) {
            const uint64_t at_ns = now_ns();

            m->bytes = device_bus_bytes(m->device);
            m->at_ns = at_ns;
            m->wanted = false;
            (void)pthread_cond_signal(&m->answered);
        } else {
            (void)pthread_cond_wait(&m->asked, &m->mutex);
        }
    }
    (void)pthread_mutex_unlock(&m->mutex);
    return NULL;
}

struct bus_meter *
bus_meter_open(struct device *d)
{
    struct bus_meter *m = xcalloc(1, sizeof *m);

    m->device = d;
    m->bytes = -1;
    if (pthread_mutex_init(&m->mutex, NULL) != 0 ||
        pthread_cond_init(&m->asked, NULL) != 0 ||
        pthread_cond_init(&m->answered, NULL) != 0 ||
        pthread_create(&m->thread, NULL, answer, m) != 0)
        die(4, "no thread can be made to ask the GPU for its bus");
    return m;
}

void
bus_meter_close(struct bus_meter *m)
{
    if (m == NULL)
        return;
    (void)pthread_mutex_lock(&m->mutex);
    m->ends = true;
    (void)pthread_cond_signal(&m->asked);
    (void)pthread_mutex_unlock(&m->mutex);
    (void)pthread_join(m->thread, NULL);
    (void)pthread_cond_destroy(&m->asked);
    (void)pthread_cond_destroy(&m->answered);
    (void)pthread_mutex_destroy(&m->mutex);
    free(m);
}

void
bus_meter_ask(struct bus_meter *m)
{
    (void)pthread_mutex_lock(&m->mutex);
    m->wanted = true;
    (void)pthread_cond_signal(&m->asked);
    (void)pthread_mutex_unlock(&m->mutex);
}

double
bus_meter_after(struct bus_meter *m)
{
    double bytes;

    (void)pthread_mutex_lock(&m->mutex);
    while (m->wanted)
        (void)pthread_cond_wait(&m->answered, &m->mutex);
    bytes = m->bytes;
    (void)pthread_mutex_unlock(&m->mutex);
    return bytes;
}

double
bus_meter_before(struct bus_meter *m, bool carries)
{
    const double bytes = bus_meter_after(m);

    if (carries && bytes >= 0 && now_ns() - m->at_ns < YOUNG_NS)
        return bytes;
    bus_meter_ask(m);
    return bus_meter_after(m);
}
