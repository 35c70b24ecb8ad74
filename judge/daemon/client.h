/* The clients of the daemon, for the caps of each. Private to connections.c. */
#ifndef DAEMON_CLIENT_H
#define DAEMON_CLIENT_H

#include "daemon/peer.h"

#include <stddef.h>
#include <sys/queue.h>

#define CLIENT_BUCKETS 1024

struct connection;

/* An address or a login. */
struct client {
    struct client *next;
    struct peer peer;
    int connections, streams;
    int open; /* the same connections, and those that leave */
    size_t received, unsent;
    TAILQ_HEAD(, connection) idle; /* those that are not answered, the oldest first */
};

struct clients {
    struct client *bucket[CLIENT_BUCKETS];
};

/* The client behind a socket, which is made where it is new. */
struct client *client_of(struct clients *all, int fd);

/* Frees it, if none of its connections is open. */
void client_drop_unused(struct clients *all, struct client *c);

#endif
