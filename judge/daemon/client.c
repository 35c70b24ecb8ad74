#include "daemon/client.h"

#include "base/buf.h"

#include <stdlib.h>

static struct client **
client_bucket(struct clients *all, const struct peer *p)
{
    const uint64_t mixed = (p->number + (uint64_t)p->family) * 0x9E3779B97F4A7C15u;

    return &all->bucket[mixed >> 54];
}

struct client *
client_of(struct clients *all, int fd)
{
    struct peer named;
    struct client *c, **bucket;

    peer_of(fd, &named);
    bucket = client_bucket(all, &named);
    for (c = *bucket; c != NULL; c = c->next)
        if (c->peer.family == named.family && c->peer.number == named.number)
            return c;
    c = xcalloc(1, sizeof *c);
    c->peer = named;
    TAILQ_INIT(&c->idle);
    c->next = *bucket;
    *bucket = c;
    return c;
}

void
client_drop_unused(struct clients *all, struct client *c)
{
    struct client **at = client_bucket(all, &c->peer);

    if (c->open > 0)
        return;
    while (*at != c)
        at = &(*at)->next;
    *at = c->next;
    free(c);
}
