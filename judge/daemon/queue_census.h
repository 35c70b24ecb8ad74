/* What the queue holds, for the metrics. */
#ifndef DAEMON_QUEUE_CENSUS_H
#define DAEMON_QUEUE_CENSUS_H

#include "daemon/devices.h"

#include <stdint.h>

struct queue;

#define CENSUS_COUNT 7

/* The names of the phases (queue.h). */
extern const char *const census_phases[CENSUS_COUNT];

struct queue_census {
    int phase[CENSUS_COUNT]; /* how many are in each */
    double oldest_s; /* for how long the oldest has waited that is not judged yet */
    struct {
        int busy;          /* judgements that hold the device */
        int waiting;       /* submissions that wait for it */
    } device[DEVICES_MAX]; /* in the order of `devices` */
};

void queue_census(const struct queue *q, const struct devices *devices,
                  struct queue_census *out);

/* How many submissions a device judges at a time. */
int queue_width_of(const struct queue *q, const char *device);

#endif
