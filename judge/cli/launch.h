/*
 * Starting a daemon where none answers, so that one command is enough. It becomes a
 * session of its own, writes to HOME/warpjudge.log and ends by itself after ten idle
 * minutes.
 */
#ifndef CLI_LAUNCH_H
#define CLI_LAUNCH_H

#include "core/config.h"
#include "core/report.h"

/* Returns when a daemon accepts connections at c->socket, started by us or by somebody
 * else meanwhile. Otherwise -1, and why, with the last line of its log. */
int launch_daemon(const struct config *c, struct report *r);

#endif
