/* The lock that makes a daemon the only one of its database, and the sockets. */
#ifndef DAEMON_LISTEN_H
#define DAEMON_LISTEN_H

#include "core/report.h"

/* Locks HOME/warpjudge.lock until the process ends, however it ends. The descriptor, or
 * -1 and a sentence with the holder's process number. */
int lock_home(const char *home, struct report *r);

/* A listening Unix socket that its owner alone may connect to. A socket file that is
 * there is a dead daemon's, because the caller holds the lock, and is replaced. */
int listen_unix(const char *path, struct report *r);

/* A listening TCP socket at HOST:PORT, [IPV6]:PORT or :PORT (every address). *port is the
 * actual one, which differs where 0 was asked for. */
int listen_tcp(const char *where, int *port, struct report *r);

#endif
