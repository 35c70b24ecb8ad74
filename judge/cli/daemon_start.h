/*
 * Starts a daemon where none answers, so that one command is enough. The daemon has a
 * session of its own, writes to HOME/warpjudge.log and ends by itself after ten idle
 * minutes.
 */
#ifndef CLI_DAEMON_START_H
#define CLI_DAEMON_START_H

#include "base/config.h"
#include "base/report.h"

/* Returns 0 when a daemon accepts connections at c->socket. Another command may have
 * started it meanwhile. -1 and a report with the last line of the daemon's log where
 * there is none. */
int daemon_start(const struct config *c, struct report *r);

#endif
