/* The kind "host": no device, for references written in C. A runner maps the memfd. */
#include "device/hostmem.h"

#include "base/buf.h"
#include "runner/protocol.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>

struct host {
    struct device base; /* must be first */
    struct hostmem_pool pool;
};

static struct host *
host_of(struct device *d)
{
    return (struct host *)d;
}

static void
host_close(struct device *d)
{
    hostmem_pool_free(&host_of(d)->pool);
    free(d);
}

static int
host_alloc(struct device *d, uint64_t bytes, bool shareable, struct device_buffer **out,
           struct report *r)
{
    return hostmem_alloc(&host_of(d)->pool, bytes, shareable, out, r);
}

static void
host_free(struct device *d, struct device_buffer *b)
{
    hostmem_free(&host_of(d)->pool, b);
}

static int
host_share(struct device *d, struct device_buffer *b, struct device_share *out,
           struct report *r)
{
    const struct hostmem_block *k = ((struct hostmem_buffer *)b)->block;
    int fd = fcntl(k->fd, F_DUPFD_CLOEXEC, 3);

    (void)d;
    if (fd < 0)
        return report_errno(r, "a buffer cannot be shared");
    *out = (struct device_share){.fd = fd, .bytes = k->capacity};
    return 0;
}

struct device *
host_open(const struct device_options *o, struct report *r)
{
    static const struct device_ops ops = {
        .close = host_close,
        .alloc = host_alloc,
        .free = host_free,
        .fill = hostmem_fill,
        .poison = hostmem_poison,
        .zero = hostmem_zero,
        .copy = hostmem_copy,
        .read = hostmem_read,
        .write = hostmem_write,
        .compare = hostmem_compare,
        .share = host_share,
    };
    struct host *h = xcalloc(1, sizeof *h);

    (void)r;
    h->pool.no_second_use = o->strangers;
    h->base.ops = &ops;
    h->base.host_memory = true;
    h->base.info.runner_memory = RUNNER_MEMORY_HOST;
    h->base.info.memory_bytes =
        (uint64_t)1 << 40; /* the machine itself says when its memory is used up */
    snprintf(h->base.info.board, sizeof h->base.info.board, "host");
    snprintf(h->base.info.name, sizeof h->base.info.name, "host memory");
    return &h->base;
}
