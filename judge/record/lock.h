/* The lock by which one process at a time changes what is in HOME: a daemon, or the
 * restoring of its database. */
#ifndef RECORD_LOCK_H
#define RECORD_LOCK_H

#include "base/report.h"

/* Locks HOME/warpjudge.lock until the process ends, however it ends. Returns the
 * descriptor, or -1 and a sentence with the process number of the holder. */
int lock_home(const char *home, struct report *r);

#endif
