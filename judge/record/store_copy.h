/*
 * Copies of the database: a backup beside the daemon, and the way back.
 *
 * A backup is one SQLite file in which all is that the database has: accounts, hashes of
 * tokens and invitations, sources, results, and the submissions that wait. It is made by
 * SQLite's online backup in one read transaction, so that it is the state of one moment.
 * In WAL mode neither the daemon nor the backup waits for the other.
 */
#ifndef RECORD_STORE_COPY_H
#define RECORD_STORE_COPY_H

#include "base/report.h"

#include <stdint.h>

/* What a copy holds, for a sentence to the operator. */
struct store_contents {
    int64_t submissions, waiting, users, bytes;
};

/* Writes the backup of the database to `to`, which must not be there, with mode 0600. It
 * is there whole, flushed to the disk and checked, or not at all. */
int store_backup(const char *database, const char *to, struct store_contents *out,
                 struct report *r);

/* Puts a copy of `from` in the place of the database, with the newest schema. The caller
 * holds the lock of the home (lock.h). What was the database before stays beside it:
 * *aside is its name then, which the caller frees, or NULL where there was none. On
 * failure the database is what it was. */
int store_restore(const char *from, const char *database, char **aside,
                  struct store_contents *out, struct report *r);

#endif
