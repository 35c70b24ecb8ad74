/*
 * Checkpoints of the write-ahead log: what commits have appended to the log is copied
 * into the database's file, and the next commit begins the log anew.
 *
 * SQLite would do that at the end of the commit that makes the log 1,000 pages long. That
 * commit would wait for a thousand writes and a flush of another file. The daemon has a
 * thread do it instead (daemon/checkpoints.h), on a connection of the thread's own.
 */
#ifndef RECORD_STORE_CHECKPOINT_H
#define RECORD_STORE_CHECKPOINT_H

#include "base/report.h"

struct store;
struct store_checkpoint;

/* How long the log is and how much of it is in the database's file, in pages. */
struct log_pages {
    int length, copied;
};

/* From now on no commit of this store makes a checkpoint. After each commit `committed`
 * is called with the length of the log in pages. Where it is NULL, commits make
 * checkpoints again. */
void store_leave_checkpoints(struct store *s, void (*committed)(void *arg, int length),
                             void *arg);

/* Opens the connection. NULL and a report if that fails. */
struct store_checkpoint *store_checkpoint_new(const char *path, struct report *r);

/* Copies what the log has when this begins. Commits go on meanwhile; they make the log
 * longer than what is copied, and then it is not begun anew. Any thread may call this,
 * one at a time. */
int store_checkpoint_run(struct store_checkpoint *c, struct log_pages *out,
                         struct report *r);

/* Copies the rest on the store's own connection, so that no commit comes in between. */
int store_checkpoint_rest(struct store *s, struct log_pages *out, struct report *r);

void store_checkpoint_free(struct store_checkpoint *c); /* NULL is allowed */

#endif
