/*
 * Makes the checkpoints of the database (record/store_checkpoint.h) in a thread, so that
 * no commit in the event loop waits for one.
 */
#ifndef DAEMON_CHECKPOINTS_H
#define DAEMON_CHECKPOINTS_H

#include "base/report.h"

/* A checkpoint follows when the log has so many pages more than are copied. */
#define CHECKPOINT_PAGES 1000

/* While commits come without a pause, the log does not begin anew after a checkpoint of
 * the thread's. From so many pages on the event loop copies the rest itself: what was
 * committed during that checkpoint, which takes about as long as a commit. */
#define LOG_PAGES_LONG 2000

struct daemon;
struct checkpoints;

struct checkpoints *checkpoints_new(struct daemon *d, struct report *r);
/* Waits for the checkpoint that is under way. The store then makes its own again. */
void checkpoints_free(struct checkpoints *c); /* NULL is allowed */

#endif
