/*
 * A GPU's memory: how it is allocated, handed to a runner and copied.
 *
 * A shareable buffer is a cuMemCreate allocation with a POSIX descriptor as its handle.
 * A runner imports it and uses it at full speed (documentation of
 * cuMemExportToShareableHandle). Memory that was opened through cudaIpc took 1.7 times
 * the time. Private buffers come from cuMemAlloc. They have no handle, so no other
 * process can reach them.
 */
#include "device/cuda_gpu.h"

#include "base/buf.h"

#include <stdlib.h>

/* --- allocations ----------------------------------------------------------- */

static uint64_t
round_up(uint64_t value, uint64_t step)
{
    return (value + step - 1) / step * step;
}

static int
map_shareable(struct cuda *c, struct cuda_buffer *b, struct report *r)
{
    const struct cu_access access = {.location = c->prop.location,
                                     .flags = CU_ACCESS_READ_WRITE};

    b->mapped = round_up(b->base.bytes, c->granularity);
    if (cuda_check(c, c->cu->create(&b->handle, b->mapped, &c->prop, 0), "cuMemCreate",
                   r) != 0)
        return -1;
    if (cuda_check(c, c->cu->reserve(&b->address, b->mapped, 0, 0, 0),
                   "cuMemAddressReserve", r) != 0)
        goto release;
    if (cuda_check(c, c->cu->map(b->address, b->mapped, 0, b->handle, 0), "cuMemMap",
                   r) != 0)
        goto unreserve;
    if (cuda_check(c, c->cu->set_access(b->address, b->mapped, &access, 1),
                   "cuMemSetAccess", r) != 0)
        goto unmap;
    return 0;
unmap:
    c->cu->unmap(b->address, b->mapped);
unreserve:
    c->cu->unreserve(b->address, b->mapped);
release:
    c->cu->release(b->handle);
    return -1;
}

/* Empties memory that may have been a buffer of an earlier judgement. The driver itself
 * empties only what comes from another process. */
static int
empty_memory(struct cuda *c, const struct cuda_buffer *b, struct report *r)
{
    if (!c->was_reset)
        return 0;
    if (cuda_check(c, c->cu->set8(b->address, 0, b->mapped, c->stream), "cuMemsetD8Async",
                   r) != 0)
        return -1;
    return cuda_wait_stream(c, "cuMemsetD8Async", r);
}

int
cuda_alloc(struct device *d, uint64_t bytes, bool shareable, struct device_buffer **out,
           struct report *r)
{
    struct cuda *c = cuda_of(d);
    struct cuda_buffer *b;
    int rc;

    if (bytes == 0 || bytes > d->info.memory_bytes)
        return report_fail(r, "a buffer of %ju bytes does not fit into %s",
                           (uintmax_t)bytes, d->info.name);
    b = xcalloc(1, sizeof *b);
    b->base.bytes = bytes;
    b->base.shareable = shareable;
    if (shareable) {
        rc = map_shareable(c, b, r);
    } else {
        b->mapped = round_up(bytes, 256);
        rc = cuda_check(c, c->cu->alloc(&b->address, b->mapped), "cuMemAlloc", r);
    }
    if (rc != 0) {
        free(b);
        return -1;
    }
    if (empty_memory(c, b, r) != 0) {
        cuda_free(d, &b->base);
        return -1;
    }
    *out = &b->base;
    return 0;
}

void
cuda_free(struct device *d, struct device_buffer *base)
{
    struct cuda *c = cuda_of(d);
    struct cuda_buffer *b = cuda_buffer_of(base);

    if (base->shareable) {
        c->cu->unmap(b->address, b->mapped);
        c->cu->unreserve(b->address, b->mapped);
        c->cu->release(b->handle);
    } else {
        c->cu->free(b->address);
    }
    free(b);
}

bool
cuda_resize(struct device_buffer *base, uint64_t bytes)
{
    const struct cuda *c = cuda_of(base->device);

    if (!base->shareable || bytes == 0 ||
        round_up(bytes, c->granularity) != cuda_buffer_of(base)->mapped)
        return false;
    base->bytes = bytes;
    return true;
}

int
cuda_share(struct device *d, struct device_buffer *base, struct device_share *out,
           struct report *r)
{
    struct cuda *c = cuda_of(d);
    struct cuda_buffer *b = cuda_buffer_of(base);
    int fd = -1;

    if (cuda_check(c, c->cu->export_handle(&fd, b->handle, CU_HANDLE_POSIX_FD, 0),
                   "cuMemExportToShareableHandle", r) != 0)
        return -1;
    *out = (struct device_share){.fd = fd, .bytes = b->mapped};
    return 0;
}

/* --- copies ---------------------------------------------------------------- */

int
cuda_zero(struct device *d, struct device_buffer *b, struct report *r)
{
    struct cuda *c = cuda_of(d);

    if (cuda_check(c, c->cu->set8(cuda_address_of(b), 0, b->bytes, c->stream),
                   "cuMemsetD8Async", r) != 0)
        return -1;
    return cuda_finish(c, "cuMemsetD8Async", r);
}

static int
start_copy(struct cuda *c, struct device_buffer *to, const struct device_buffer *from,
           struct report *r)
{
    return cuda_check(
        c, c->cu->copy(cuda_address_of(to), cuda_address_of(from), to->bytes, c->stream),
        "cuMemcpyDtoDAsync", r);
}

static int
mark_copies(struct cuda *c, cu_event event, struct report *r)
{
    return cuda_check(c, c->cu->event_record(event, c->stream), "cuEventRecord", r);
}

int
cuda_copy_queue(struct device *d, struct device_buffer *to,
                const struct device_buffer *from, struct report *r)
{
    struct cuda *c = cuda_of(d);

    if (!c->copies_queued && mark_copies(c, c->copies_begin, r) != 0)
        return -1;
    c->copies_queued = true;
    return start_copy(c, to, from, r);
}

int
cuda_wait(struct device *d, double *ns, struct report *r)
{
    struct cuda *c = cuda_of(d);
    const bool queued = c->copies_queued;
    float ms = 0;

    c->copies_queued = false;
    if ((queued && mark_copies(c, c->copies_end, r) != 0) ||
        cuda_wait_stream(c, "cuMemcpyDtoDAsync", r) != 0 ||
        (queued &&
         cuda_check(c, c->cu->event_elapsed(&ms, c->copies_begin, c->copies_end),
                    "cuEventElapsedTime", r) != 0))
        return -1;
    *ns = ms * 1e6;
    return 0;
}

int
cuda_copy(struct device *d, struct device_buffer *to, const struct device_buffer *from,
          struct report *r)
{
    return start_copy(cuda_of(d), to, from, r) == 0
               ? cuda_finish(cuda_of(d), "cuMemcpyDtoDAsync", r)
               : -1;
}

int
cuda_read(struct device *d, const struct device_buffer *b, uint64_t offset,
          uint64_t bytes, void *host, struct report *r)
{
    struct cuda *c = cuda_of(d);

    if (cuda_check_wait(
            c, c->cu->copy_out(host, cuda_address_of(b) + offset, bytes, c->stream),
            "cuMemcpyDtoHAsync", r) != 0)
        return -1;
    return cuda_wait_stream(c, "cuMemcpyDtoHAsync", r);
}

int
cuda_write(struct device *d, struct device_buffer *b, uint64_t offset, uint64_t bytes,
           const void *host, struct report *r)
{
    struct cuda *c = cuda_of(d);

    if (cuda_check_wait(
            c, c->cu->copy_in(cuda_address_of(b) + offset, host, bytes, c->stream),
            "cuMemcpyHtoDAsync", r) != 0)
        return -1;
    return cuda_wait_stream(c, "cuMemcpyHtoDAsync", r);
}
