/*
 * Unfinished submissions, oldest first, and what moves each of them on.
 *
 *   QUEUED     waits for a compile slot
 *   COMPILING  warpjudge-compile runs; if the submission is the first in its device's
 *              line, the arbiter prepares meanwhile: first what needs no reference
 *   READY      compiled; waits for its device
 *   RUNNING    the arbiter was told "go"
 *   UNSAVED    the result is known but could not be written down yet (a full disk)
 *   DRAINING   decided and recorded, or to be judged again; its processes are ending
 *
 * A device judges one submission at a time, in the order of their ids. Where the arbiter
 * that runs says that there is room, that of the next one in line is started, too, and
 * prepares; it gets its "go" when the first one's result is stored, though that one's
 * process may take a while to end. Nothing else begins on a device before it has ended. A
 * problem for two GPUs takes a second one (devices_partner) for as long: once it is the
 * first in its own device's line, the other begins nothing that is younger. queue_step
 * does all that can be done at the moment and is called after everything that happens; it
 * never waits. Nothing here needs to be undone after a crash: see core/store.h.
 */
#ifndef DAEMON_QUEUE_H
#define DAEMON_QUEUE_H

#include "core/report.h"
#include "core/store.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct daemon;
struct queue;

/* So many may wait; more are refused. Each costs some hundred bytes here. */
#define QUEUE_MAX 10000

struct queue *queue_new(struct daemon *d);
void queue_free(struct queue *q);

/* Takes over what the store holds unfinished. */
int queue_load(struct queue *q, struct report *r);

/* A submission that was just stored. device: one of the daemon's. */
void queue_add(struct queue *q, int64_t id, const char *problem, const char *device,
               const char *filename, bool sample_tests_only);

void queue_step(struct queue *q);

struct queue_state {
    const char *state; /* "queued", "compiling", "running" */
    int position;      /* queued only: 1 is next; else 0 */
    int attempt;
    const char *last_event; /* what a late watcher is told first; NULL: nothing yet */
};

/* false: not in the queue (done, or never there). */
bool queue_find(const struct queue *q, int64_t id, struct queue_state *out);

size_t queue_length(const struct queue *q); /* not done */
bool queue_device_busy(const struct queue *q, const char *device);

/* Why nothing moves (the disk is full, ...), or NULL. */
const char *queue_trouble(const struct queue *q);

#endif
