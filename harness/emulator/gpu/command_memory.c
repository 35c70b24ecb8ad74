/* Requests about device memory: allocations, shared memory, copies and fills. The rules
 * for all requests are in command.c. */
#include "command.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* --- memory ------------------------------------------------------------------------- */

/* Index of the first allocation that starts at or after address. */
static size_t
allocation_index(const struct client *c, uint64_t address)
{
    size_t low = 0, high = c->allocation_count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (c->allocation[middle].address < address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

struct allocation *
allocation_at(const struct client *c, uint64_t address)
{
    size_t i = allocation_index(c, address);

    if (i < c->allocation_count && c->allocation[i].address == address)
        return &c->allocation[i];
    if (i > 0 && address - c->allocation[i - 1].address < c->allocation[i - 1].bytes)
        return &c->allocation[i - 1];
    return NULL;
}

/* Makes space for one more. Returns false if there are too many or no host memory is
 * left. */
static bool
allocation_reserve(struct client *c)
{
    size_t cap = c->allocation_cap != 0 ? 2 * c->allocation_cap : 64;
    struct allocation *grown;

    if (c->allocation_count < c->allocation_cap)
        return true;
    if (c->allocation_count >= CLIENT_ALLOCATIONS_MAX)
        return false;
    grown = realloc(c->allocation, cap * sizeof *grown);
    if (grown == NULL)
        return false;
    c->allocation = grown;
    c->allocation_cap = cap;
    return true;
}

static void
allocation_add(struct client *c, const struct allocation *a)
{
    size_t i = allocation_index(c, a->address);

    memmove(c->allocation + i + 1, c->allocation + i,
            (c->allocation_count - i) * sizeof *a);
    c->allocation[i] = *a;
    c->allocation_count++;
}

int
command_malloc(struct server *s, struct client *c, const unsigned char *text,
               struct gpu_reply *reply)
{
    struct allocation a = {.bytes = c->request.memory.bytes, .kind = GPU_MEMORY_DEVICE};
    struct fault f = {0};

    (void)text;
    if (a.bytes == 0)
        return GPU_INVALID_VALUE;
    if (!allocation_reserve(c))
        return GPU_OUT_OF_MEMORY;
    a.address = memory_alloc(s->machine, a.bytes, &f);
    if (a.address == 0)
        return keep_fault(c, &f);
    allocation_add(c, &a);
    reply->value[0] = a.address;
    return GPU_SUCCESS;
}

int
command_free(struct server *s, struct client *c, const unsigned char *text,
             struct gpu_reply *reply)
{
    struct allocation *a = allocation_at(c, c->request.memory.address);
    size_t i;

    (void)text;
    (void)reply;
    if (a == NULL || a->address != c->request.memory.address)
        return GPU_INVALID_VALUE;
    if (a->mapping != NULL) {
        s->shared_bytes -= a->mapping->bytes;
        server_unmap(s, a->mapping);
    } else {
        memory_free(s->machine, a->address);
    }
    i = (size_t)(a - c->allocation);
    c->allocation_count--;
    memmove(a, a + 1, (c->allocation_count - i) * sizeof *a);
    return GPU_SUCCESS;
}

/* Makes a memfd that nobody can shrink under our mapping. -1: errno says why. */
static int
sealed_memfd(uint64_t bytes)
{
    int fd = memfd_create("warpjudge-shared", MFD_CLOEXEC | MFD_ALLOW_SEALING);

    if (fd < 0)
        return -1;
    if (ftruncate(fd, (off_t)bytes) != 0 ||
        fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0) {
        int saved = errno;

        close(fd);
        errno = saved;
        return -1;
    }
    return fd;
}

struct mapping *
client_share(struct server *s, struct client *c, uint64_t wanted, uint64_t at,
             bool reserve_only)
{
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), limit = memory_limit(s->machine);
    uint64_t bytes;
    struct mapping *m;
    int fd;

    if (wanted > limit || at % page != 0)
        return NULL;
    bytes = (wanted + page - 1) / page * page;
    if (s->shared_bytes > limit || bytes > limit - s->shared_bytes || c->out_fd >= 0)
        return NULL;
    fd = sealed_memfd(bytes);
    if (fd < 0)
        return NULL;
    m = reserve_only ? server_map_reserved(s, fd, bytes, at)
                     : server_map_shared(s, fd, bytes, at, wanted);
    if (m == NULL) {
        close(fd);
        return NULL;
    }
    s->shared_bytes += bytes;
    c->out_fd = fd;
    return m;
}

/* Pinned and managed memory is one memfd that is mapped here and by the client. The
 * client has it at the address that the device sees. */
int
command_shared(struct server *s, struct client *c, const unsigned char *text,
               struct gpu_reply *reply)
{
    struct allocation a = {.bytes = c->request.memory.bytes};

    (void)text;
    if (c->request.flags & GPU_QUIET ||
        a.bytes == 0) /* the client would not take the descriptor */
        return GPU_INVALID_VALUE;
    if (!allocation_reserve(c))
        return GPU_OUT_OF_MEMORY;
    a.mapping = client_share(s, c, a.bytes, c->request.memory.address, false);
    if (a.mapping == NULL)
        return GPU_OUT_OF_MEMORY;
    a.address = a.mapping->address;
    a.kind = c->request.flags & GPU_MANAGED ? GPU_MEMORY_MANAGED : GPU_MEMORY_PINNED;
    allocation_add(c, &a);
    reply->value[0] = a.address;
    reply->value[1] = a.mapping->bytes;
    return GPU_SUCCESS;
}

static bool
is_managed_variable(const struct client *c, uint64_t address)
{
    for (uint32_t i = 0; i < c->module_count; i++)
        if (c->managed[i] != NULL &&
            address - c->managed[i]->address < c->managed[i]->bytes)
            return true;
    return false;
}

int
command_info(struct server *s, struct client *c, const unsigned char *text,
             struct gpu_reply *reply)
{
    uint64_t address = c->request.memory.address, start, bytes;
    const struct allocation *a = allocation_at(c, address);
    int device;

    (void)text;
    if (memory_find(s->machine, address, &start, &bytes) != 0)
        return GPU_INVALID_VALUE;
    reply->value[0] = a != NULL ? a->address : start;
    reply->value[1] = a != NULL ? a->bytes : bytes;
    reply->value[2] = a != NULL                         ? a->kind
                      : is_managed_variable(c, address) ? GPU_MEMORY_MANAGED
                                                        : GPU_MEMORY_DEVICE;
    device = memory_device(s->machine, address);
    if (device != EVERY_DEVICE)
        reply->value[2] += (uint64_t)device * GPU_KINDS;
    return GPU_SUCCESS;
}

int
command_usage(struct server *s, struct client *c, const unsigned char *text,
              struct gpu_reply *reply)
{
    uint64_t limit = memory_limit(s->machine), used = memory_used(s->machine);

    (void)c;
    (void)text;
    reply->value[0] = used < limit ? limit - used : 0;
    reply->value[1] = limit;
    return GPU_SUCCESS;
}

/* --- copies ------------------------------------------------------------------------- */

struct region
request_target(const struct gpu_request *q)
{
    return (struct region){q->copy.to, q->copy.to_pitch, q->copy.width, q->copy.height,
                           0};
}

static struct region
request_source(const struct gpu_request *q)
{
    return (struct region){q->copy.from, q->copy.from_pitch, q->copy.width,
                           q->copy.height, 0};
}

int
command_write(struct server *s, struct client *c, const unsigned char *text,
              struct gpu_reply *reply)
{
    (void)text;
    (void)reply;
    if (c->bulk == BULK_DISCARD)
        return c->bulk_status;
    region_mark(s, &c->target);
    machine_count_copy(s->machine, COPY_H2D, region_bytes(&c->target), 0);
    return GPU_SUCCESS;
}

int
command_read(struct server *s, struct client *c, const unsigned char *text,
             struct gpu_reply *reply)
{
    struct region from = request_source(&c->request);

    (void)text;
    if (c->request.flags & GPU_QUIET || !region_valid(s, &from))
        return GPU_INVALID_VALUE;
    machine_count_copy(s->machine, COPY_D2H, region_bytes(&from), 0);
    c->source = from;
    reply->bulk_bytes = region_bytes(&from);
    return GPU_SUCCESS;
}

/* The kind of a copy. Memory that the host shares, pinned or managed, counts as the
 * host's: what is copied there, the host has. */
static enum copy_kind
copy_kind(struct server *s, const struct gpu_request *q)
{
    int to = memory_device(s->machine, q->copy.to);
    int from = memory_device(s->machine, q->copy.from);

    if (from == EVERY_DEVICE)
        return COPY_H2D;
    if (to == EVERY_DEVICE)
        return COPY_D2H;
    return from == to ? COPY_D2D : COPY_PEER;
}

int
command_copy(struct server *s, struct client *c, const unsigned char *text,
             struct gpu_reply *reply)
{
    struct region to = request_target(&c->request), from = request_source(&c->request);
    uint64_t whole = region_bytes(&to);

    (void)text;
    (void)reply;
    if (!region_valid(s, &to) || !region_valid(s, &from))
        return GPU_INVALID_VALUE;
    while (to.done < whole) {
        uint64_t to_bytes, from_bytes, bytes;
        void *target = region_next(s, &to, &to_bytes);
        const void *source = region_next(s, &from, &from_bytes);

        if (target == NULL || source == NULL)
            return GPU_INVALID_VALUE;
        bytes = to_bytes < from_bytes ? to_bytes : from_bytes;
        memmove(target, source, (size_t)bytes);
        to.done += bytes;
        from.done += bytes;
    }
    region_mark(s, &to);
    machine_count_copy(s->machine, copy_kind(s, &c->request), whole,
                       region_sector_bytes(&to) + region_sector_bytes(&from));
    return GPU_SUCCESS;
}

/* Fills bytes (a multiple of element) with the element's value by doubling what is
 * there. */
static void
fill_elements(unsigned char *to, uint64_t bytes, uint32_t value, uint32_t element)
{
    uint64_t done = element;

    if (element == 1) {
        memset(to, (int)value, (size_t)bytes);
        return;
    }
    memcpy(to, &value, element);
    while (done < bytes) {
        uint64_t more = done < bytes - done ? done : bytes - done;

        memcpy(to + done, to, (size_t)more);
        done += more;
    }
}

int
command_set(struct server *s, struct client *c, const unsigned char *text,
            struct gpu_reply *reply)
{
    const struct gpu_request *q = &c->request;
    struct region to = {q->set.to, q->set.pitch, q->set.width, q->set.height, 0};
    uint32_t element = q->set.element;
    uint64_t whole = region_bytes(&to);

    (void)text;
    (void)reply;
    if ((element != 1 && element != 2 && element != 4) || q->set.width % element != 0 ||
        !region_valid(s, &to))
        return GPU_INVALID_VALUE;
    while (to.done < whole) {
        uint64_t bytes;
        void *target = region_next(s, &to, &bytes);

        if (target == NULL)
            return GPU_INVALID_VALUE;
        fill_elements(target, bytes, q->set.value, element);
        to.done += bytes;
    }
    region_mark(s, &to);
    machine_count_copy(s->machine, COPY_MEMSET, whole, region_sector_bytes(&to));
    return GPU_SUCCESS;
}
