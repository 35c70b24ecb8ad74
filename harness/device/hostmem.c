/*
 * Buffers in host memory.
 *
 * A shareable block is a memfd that is sealed against resizing. The process at the
 * other end runs a stranger's program, or executes for it. If it truncated the file
 * under our mapping, the arbiter would get a SIGBUS. All pages of a new block are
 * populated at once, which is several times cheaper than a page fault for each.
 */
#include "device/hostmem.h"

#include "base/buf.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* An idle block serves a smaller buffer only if it is not much too large, because
 * poison covers the whole block. */
#define WASTE_FACTOR 4
#define WASTE_BYTES ((uint64_t)256 << 10)

static uint64_t
whole_pages(uint64_t bytes)
{
    return (bytes + HOST_PAGE_BYTES - 1) / HOST_PAGE_BYTES * HOST_PAGE_BYTES;
}

static struct hostmem_buffer *
hostmem_of(struct device_buffer *b)
{
    return (struct hostmem_buffer *)b;
}

static int
map_memfd(struct hostmem_block *k, struct report *r)
{
    k->fd = memfd_create("warpjudge-buffer", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (k->fd < 0)
        return report_errno(r, "no memory for a buffer of %ju bytes",
                            (uintmax_t)k->capacity);
    if (ftruncate(k->fd, (off_t)k->capacity) != 0 ||
        fcntl(k->fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0) {
        report_errno(r, "no memory for a buffer of %ju bytes", (uintmax_t)k->capacity);
        close(k->fd);
        return -1;
    }
    k->map = mmap(NULL, k->capacity, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE,
                  k->fd, 0);
    if (k->map == MAP_FAILED) {
        report_errno(r, "no memory for a buffer of %ju bytes", (uintmax_t)k->capacity);
        close(k->fd);
        return -1;
    }
    return 0;
}

static int
map_private(struct hostmem_block *k, struct report *r)
{
    k->fd = -1;
    k->map = mmap(NULL, k->capacity, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
                  -1, 0);
    if (k->map == MAP_FAILED)
        return report_errno(r, "no memory for a buffer of %ju bytes",
                            (uintmax_t)k->capacity);
    /* Huge pages halve the cost if there are any. Both calls are only advice to the
     * kernel. */
    (void)madvise(k->map, k->capacity, MADV_HUGEPAGE);
    (void)madvise(k->map, k->capacity, MADV_POPULATE_WRITE);
    return 0;
}

/* Takes the smallest idle block that fits well out of the pool. */
static struct hostmem_block *
take_idle(struct hostmem_pool *pool, uint64_t capacity, bool shareable)
{
    struct hostmem_block **best = NULL, *found;
    uint64_t most = capacity * WASTE_FACTOR;

    if (most < WASTE_BYTES)
        most = WASTE_BYTES;
    for (struct hostmem_block **at = &pool->idle; *at != NULL; at = &(*at)->next) {
        struct hostmem_block *k = *at;

        if ((k->fd >= 0) == shareable && k->capacity >= capacity && k->capacity <= most &&
            (best == NULL || k->capacity < (*best)->capacity))
            best = at;
    }
    if (best == NULL)
        return NULL;
    found = *best;
    *best = found->next;
    return found;
}

int
hostmem_alloc(struct hostmem_pool *pool, uint64_t bytes, bool shareable,
              struct device_buffer **out, struct report *r)
{
    struct hostmem_buffer *b;
    struct hostmem_block *k;
    uint64_t capacity;

    if (bytes == 0 || bytes > (uint64_t)1 << 46)
        return report_fail(r, "a buffer of %ju bytes cannot be had", (uintmax_t)bytes);
    capacity = whole_pages(bytes);
    k = take_idle(pool, capacity, shareable);
    if (k == NULL) {
        k = xcalloc(1, sizeof *k);
        k->capacity = capacity;
        if ((shareable ? map_memfd(k, r) : map_private(k, r)) != 0) {
            free(k);
            return -1;
        }
    }
    b = xcalloc(1, sizeof *b);
    b->block = k;
    b->base.bytes = bytes;
    b->base.shareable = shareable;
    b->base.view = k->map;
    *out = &b->base;
    return 0;
}

static void
free_block(struct hostmem_block *k)
{
    munmap(k->map, k->capacity);
    if (k->fd >= 0)
        close(k->fd);
    free(k);
}

void
hostmem_free(struct hostmem_pool *pool, struct device_buffer *b)
{
    struct hostmem_block *k = hostmem_of(b)->block;

    free(b);
    if (pool->no_second_use && k->fd >= 0) {
        free_block(k);
        return;
    }
    k->next = pool->idle;
    pool->idle = k;
}

void
hostmem_pool_free(struct hostmem_pool *pool)
{
    while (pool->idle != NULL) {
        struct hostmem_block *k = pool->idle;

        pool->idle = k->next;
        free_block(k);
    }
}

int
hostmem_fill(struct device *d, struct device_buffer *b, const struct gen *g,
             uint64_t seed, uint64_t count, struct report *r)
{
    (void)d;
    (void)r;
    gen_fill(g, seed, 0, count, b->view);
    return 0;
}

int
hostmem_poison(struct device *d, struct device_buffer *b, uint64_t seed, struct report *r)
{
    (void)d;
    (void)r;
    gen_poison(seed, whole_pages(b->bytes), b->view);
    return 0;
}

int
hostmem_zero(struct device *d, struct device_buffer *b, struct report *r)
{
    (void)d;
    (void)r;
    memset(b->view, 0, b->bytes);
    return 0;
}

int
hostmem_copy(struct device *d, struct device_buffer *to, const struct device_buffer *from,
             struct report *r)
{
    (void)d;
    (void)r;
    memcpy(to->view, from->view, to->bytes);
    return 0;
}

int
hostmem_read(struct device *d, const struct device_buffer *b, uint64_t offset,
             uint64_t bytes, void *host, struct report *r)
{
    (void)d;
    (void)r;
    memcpy(host, (const char *)b->view + offset, bytes);
    return 0;
}

int
hostmem_write(struct device *d, struct device_buffer *b, uint64_t offset, uint64_t bytes,
              const void *host, struct report *r)
{
    (void)d;
    (void)r;
    memcpy((char *)b->view + offset, host, bytes);
    return 0;
}

int
hostmem_compare(struct device *d, const struct device_buffer *got,
                const struct device_buffer *want, uint64_t count,
                const struct compare_rule *rule, struct compare_result *out,
                struct report *r)
{
    (void)d;
    (void)r;
    compare_run(rule, got->view, want->view, count, out);
    return 0;
}
