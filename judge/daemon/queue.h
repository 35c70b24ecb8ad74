/*
 * The queue: unfinished submissions in a fair order, and what moves each of them on. A
 * submission is in one of these phases.
 *
 *     QUEUED      it waits for a CPU to compile on
 *     COMPILING   warpjudge-compile runs; if the submission is the first in its device's
 *                 line, its arbiter prepares what needs no reference
 *     READY       it is compiled, and waits for its device
 *     RUNNING     the arbiter was told "go", or "follow"
 *     READING     it is judged, and a thread reads its result
 *     UNSAVED     the result is known but could not be stored yet, as on a full disk
 *     DRAINING    it is recorded, or will be judged again; its processes are ending
 *
 * As many compilers work as there are CPUs to spare. One that only waits for a reference
 * that another makes does not count (compiler_slots.h).
 *
 * A GPU judges one submission at a time, emu several (line.h). plan.h has the order:
 * first goes whose person has used a device least in the last hour. What a compiler took
 * to refuse a submission counts like a device. One that is compiled
 * does not wait for one that is not. When the running arbiter says that the device has
 * capacity for a neighbour, the next submission's arbiter is started, too, and prepares.
 * As soon as the first one is measured, or else when its result is stored, the next one
 * is told to follow it (arbiter/calling/gpu_lock.h). Nothing else begins on a device
 * before the first one's arbiter has given everything back.
 *
 * What is graded in bulk stands behind all that people wait for, and does not count as
 * their use.
 *
 * What is judged in idle time (idle.h) is an attempt like another, behind all of these.
 * It joins the queue only where its device could judge one more at once.
 *
 * A problem for two GPUs holds a second one (devices_partner) for as long. Once it is the
 * first in its own device's line, the other device begins nothing that is younger. Where
 * this machine has one GPU of the board, and workers have two, it waits for these and has
 * no place in the device's line.
 *
 * queue_step() does all that can be done at the moment, and is called after everything
 * that happens. It never waits. Nothing here needs to be undone after a crash
 * (record/store.h).
 */
#ifndef DAEMON_QUEUE_H
#define DAEMON_QUEUE_H

#include "base/report.h"
#include "daemon/idle.h"
#include "record/store.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct attempt;
struct buf;
struct daemon;
struct queue;

/* The most submissions that may wait, of all and of one person; more are refused. Each
 * costs some hundred bytes here. What is graded in bulk leaves some of the places to
 * people, and its own are counted apart from its person's others. */
#define QUEUE_MAX 10000
#define QUEUE_GRADED_MAX 5000
#define QUEUE_PER_PERSON 256

struct queue *queue_new(struct daemon *d);
void queue_free(struct queue *q);

/* Takes over the submissions that the store holds unfinished. */
int queue_load(struct queue *q, struct report *r);

/* Adds a submission that was just stored. device is one of the daemon's. */
void queue_add(struct queue *q, int64_t id, const struct new_submission *n);

/* How many submissions of this person are not done: of those that are graded in bulk, or
 * of the others. */
int queue_places(const struct queue *q, const char *user, bool graded);

/* How many submissions of this person are in flight: not done, and not graded in bulk.
 * *first_s is an estimate of when the first of these is done, in seconds. */
int queue_in_flight(const struct queue *q, const char *user, int *first_s);

/* Has everything compiled anew of which `is_void` says so. An attempt that a worker
 * judges meanwhile is made again (lease_void()). */
void queue_void_artefacts(struct queue *q,
                          bool (*is_void)(const struct attempt *a, void *arg), void *arg,
                          const char *why);

void queue_step(struct queue *q);

/* Has the step made by a handler of its own, for a call that was long enough by itself.
 */
void queue_step_soon(struct queue *q);

struct queue_state {
    const char *state; /* as told.h lists them */
    int position;      /* where it waits: 1 is next; else 0 */
    int estimate_s;    /* where it waits: in how many seconds it begins */
    int attempt;
    const char *last_event; /* what a late watcher is told first; NULL: nothing yet */
};

/* Is the submission in the queue? It is not where it is done, or was never there. */
bool queue_find(const struct queue *q, int64_t id, struct queue_state *out);

/* Why a submission waits though its turn may have come (lease_why_waits()); or NULL. The
 * caller frees. */
char *queue_why_waits(const struct queue *q, int64_t id);

/* Ends a submission with the verdict cancelled and this message, whatever its phase. One
 * that is done stays as it is. -1 where the store cannot be written: then it goes on. */
int queue_cancel(struct queue *q, int64_t id, const char *message, struct report *r);

/* Ends what is judged in idle time and is of this kind. */
void queue_drop_idle(struct queue *q, enum idle_kind kind);

/* A stream shows this submission alone, and is told its place; and it does no more. */
void queue_watch(struct queue *q, int64_t id);
void queue_unwatch(struct queue *q, int64_t id);

/* Which submissions are asked for; 0 and NULL: any. */
struct queue_filter {
    int64_t submission;
    const char *user, *problem;
    bool (*sees)(const void *arg, const char *problem, const char *user,
                 bool graded); /* NULL: all */
    const void *arg;
};

/* Appends the events of where some of these stand (told_add_state()): those with the
 * lowest numbers after *after, which becomes the last one's. Returns whether there may be
 * more. */
bool queue_add_states(const struct queue *q, const struct queue_filter *filter,
                      int64_t *after, struct buf *text);

/* The unfinished submissions with who has sent them, the oldest first, at most
 * QUEUE_LISTED. */
#define QUEUE_LISTED 200
struct cJSON;
struct cJSON *queue_json(const struct queue *q);

/* How many submissions are not done. What is judged in idle time does not count. */
size_t queue_length(const struct queue *q);
bool queue_device_busy(const struct queue *q, const char *device);

/* Is everything that was judged recorded, and its arbiter gone? While the daemon drains,
 * queue_step() begins nothing, and ends the loop when this is so (drain.h). */
bool queue_is_drained(const struct queue *q);

/* Why nothing goes on, such as a full disk; NULL where nothing is wrong. */
const char *queue_trouble(const struct queue *q);

#endif
