/*
 * Checks a large database for damage beside the daemon's work, in a thread of its own.
 * A small one was checked when it was opened (record/store_check.h). If the database is
 * damaged the daemon ends with the sentence, because it would go on writing into it. As
 * after any crash nothing is lost that was whole.
 */
#ifndef DAEMON_DAMAGE_CHECK_H
#define DAEMON_DAMAGE_CHECK_H

#include "base/report.h"

struct daemon;
struct damage_check;

/* Begins. The daemon's loop must exist. NULL and a report where it cannot. */
struct damage_check *damage_check_new(struct daemon *d, struct report *r);

/* Ends it, whether it has come to its end or not. NULL is allowed. */
void damage_check_free(struct damage_check *c);

#endif
