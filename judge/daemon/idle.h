/*
 * What is judged in idle time, and is nobody's new submission: submissions that an admin
 * has judged again (rejudge.h), and the house's solutions (house.h). The queue takes one
 * in where its device could judge one more at once, so that it never stands before a
 * person's. Where only workers have the board, one of them must wait for work. Nothing is
 * told of it while it is judged.
 */
#ifndef DAEMON_IDLE_H
#define DAEMON_IDLE_H

#include "base/report.h"

#include <stdbool.h>
#include <stdint.h>

struct daemon;
struct finished_submission;

enum idle_kind {
    IDLE_NOT,      /* it is somebody's new submission */
    IDLE_REJUDGED, /* its id is the submission's */
    IDLE_HOUSE,    /* its id is the place of the step in its run */
};

/* The texts belong to the run, until the next call. */
struct idle_work {
    enum idle_kind kind;
    int64_t run; /* its number among those of its kind */
    int64_t id;
    const char *problem, *filename;
    const char *source; /* NULL: it is the submission's, in the store */
};

/* The next that waits for the device; it counts as begun. False where none does. */
bool idle_next(struct daemon *d, const char *device, struct idle_work *out);

/* Ends what waits for a device that is not in this machine any more. */
void idle_check_devices(struct daemon *d);

/* Takes a result. What it points to belongs to the run from then on. -1 where the store
 * cannot be written: nothing has changed, and the caller tries again later. */
int idle_take(struct daemon *d, enum idle_kind kind, int64_t run, int64_t id,
              const struct finished_submission *finished, struct report *r);

bool idle_is_under_way(const struct daemon *d);

/* Ends all of it, because the daemon does. */
void idle_stop(struct daemon *d);

#endif
