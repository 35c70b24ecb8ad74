/*
 * The check of a database for damage, such as a disk makes. It reads the whole file: a
 * million submissions take seconds.
 */
#ifndef RECORD_STORE_CHECK_H
#define RECORD_STORE_CHECK_H

#include "base/report.h"

#include <stdbool.h>

/* A file of up to so many bytes is checked when it is opened, which takes a tenth of a
 * second at most. */
#define STORE_CHECK_AT_ONCE ((int64_t)32 << 20)

struct store_check;

/* Opens a connection of the check's own. NULL and a report if that fails. */
struct store_check *store_check_new(const char *path, struct report *r);

/* Reads the file, as it is in one moment; meanwhile others may read and write. Any thread
 * may call this once. Returns 0 where it is whole or the check was stopped. Otherwise it
 * returns -1 with the sentence, and *damaged says whether that is of the file's bytes. */
int store_check_run(struct store_check *c, bool *damaged, struct report *r);

/* Lets store_check_run() of another thread end soon. SQLite forgets it where that is just
 * about to begin, so that it is called again until the thread has ended. */
void store_check_stop(struct store_check *c);

void store_check_free(struct store_check *c); /* NULL is allowed */

#endif
