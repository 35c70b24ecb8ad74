/* The listening sockets. */
#ifndef DAEMON_LISTEN_H
#define DAEMON_LISTEN_H

#include "base/report.h"

#include <stdbool.h>

/* A listening Unix socket to which its owner alone may connect, or everybody. A socket
 * file that is there is replaced: it is a dead daemon's, because the caller holds the
 * lock. */
int listen_unix(const char *path, bool everybody, struct report *r);

/* A listening TCP socket at HOST:PORT, [IPV6]:PORT or :PORT, which means every address.
 * *port is the actual port, also where 0 was asked for. */
int listen_tcp(const char *where, int *port, struct report *r);

/* Where a browser of this machine finds what listens at `where`, with this port:
 * "http://localhost:8080". The caller frees. */
char *listen_url(const char *where, int port);

/* Can only this machine reach what the TCP socket is bound to? */
bool listen_is_local(int fd);

#endif
