/*
 * Removes folders of judgements in a thread, beside the event loop. A file system may
 * hold a removal up while it writes its journal, and everybody would wait with it.
 *
 * At most REMOVAL_WAITING folders wait. Beyond that the caller removes his folder
 * himself, so that folders are not made faster than they go.
 */
#ifndef DAEMON_REMOVAL_H
#define DAEMON_REMOVAL_H

#include "base/report.h"

#define REMOVAL_WAITING 256

struct removal;

/* NULL with a report where no thread can be made. */
struct removal *removal_new(struct report *r);

/* Removes what still waits, and ends the thread. */
void removal_free(struct removal *v);

/* Takes `folder` over (of malloc) and removes it with all that is in it, soon. `label` is
 * whose it was, for the log. A folder that cannot be removed is told in the log; it goes
 * when the daemon starts the next time. Without a thread (NULL) it is removed at once. */
void removal_add(struct removal *v, char *folder, const char *label);

#endif
