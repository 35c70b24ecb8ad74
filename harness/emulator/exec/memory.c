/*
 * Device memory: a sorted table of allocations.
 *
 * Addresses are handed out upwards, with unmapped guard space between allocations. So the
 * first byte past an allocation belongs to nobody. An address that was freed stays free
 * for long, and use after free is seen. Gaps are searched only when the range is used up.
 *
 * The shadow of an allocation has a byte for each byte, which is 1 when that was written.
 * It is not a bit, because workers mark neighbouring words at the same time.
 */
#include "fault.h"
#include "machine.h"
#include "race/race.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

enum { GUARD_BYTES = 64 << 10, MMAP_FROM_BYTES = 256 << 10 };

struct allocation no_allocation;

/* How many bytes of tags leave enough of what this process may have: all device memory
 * twice, with the record of written bytes, and an eighth for everything else. */
static uint64_t
tag_room(uint64_t device_bytes)
{
    struct rlimit data;
    uint64_t most;

    if (getrlimit(RLIMIT_DATA, &data) != 0 || data.rlim_cur == RLIM_INFINITY)
        return UINT64_MAX;
    most = data.rlim_cur / 8 * 7;
    return device_bytes < most / 2 ? most - 2 * device_bytes : 0;
}

void
memory_init(struct machine *m, uint64_t limit)
{
    m->memory.next = GLOBAL_BASE + GUARD_BYTES;
    m->memory.limit = limit;
    m->memory.tag_room = tag_room(limit * (uint64_t)m->options.devices);
}

/* The bytes of an allocation's tags: one of 64 bits for each word. */
static uint64_t
tag_bytes(const struct allocation *a)
{
    return (a->bytes / 4 + 1) * sizeof(uint64_t);
}

static void
tags_unmap(struct machine *m, const struct allocation *a, uint64_t *tags)
{
    munmap(tags, tag_bytes(a));
    atomic_fetch_sub(&m->memory.tag_bytes, tag_bytes(a));
}

void
memory_forget_tags(struct machine *m, struct allocation *a)
{
    uint64_t *tags = atomic_exchange(&a->tags, NULL);

    if (tags != NULL)
        tags_unmap(m, a, tags);
}

uint64_t *
memory_make_tags(struct machine *m, struct allocation *a)
{
    const uint64_t bytes = tag_bytes(a);
    uint64_t *none = NULL, *made = MAP_FAILED;

    if (atomic_fetch_add(&m->memory.tag_bytes, bytes) + bytes <= m->memory.tag_room)
        made = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (made == MAP_FAILED) {
        atomic_fetch_sub(&m->memory.tag_bytes, bytes);
        return NULL;
    }
    if (atomic_compare_exchange_strong(&a->tags, &none, made))
        return made;
    tags_unmap(m, a, made); /* another thread was faster */
    return none;
}

static void
allocation_free(struct machine *m, struct allocation *a)
{
    memory_forget_tags(m, a);
    race_forget(&a->race);
    if (a->shadow_mapped_bytes != 0)
        munmap(a->shadow, a->shadow_mapped_bytes);
    else
        free(a->shadow);
    if (a->imported) {
        free(a);
        return;
    }
    if (a->mapped_bytes != 0)
        munmap(a->host, a->mapped_bytes);
    else
        free(a->host);
    free(a);
}

void
memory_destroy(struct machine *m)
{
    for (size_t i = 0; i < m->memory.count; i++)
        allocation_free(m, m->memory.sorted[i]);
    free(m->memory.sorted);
}

/* Zeroed memory, committed on use when large. */
static uint8_t *
host_alloc(uint64_t bytes, size_t *mapped)
{
    void *p;

    *mapped = 0;
    if (bytes >= MMAP_FROM_BYTES) {
        p = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (p == MAP_FAILED)
            return NULL;
        *mapped = bytes;
        return p;
    }
    bytes = bytes != 0 ? (bytes + 255) & ~(uint64_t)255 : 256;
    p = aligned_alloc(256, bytes);
    if (p != NULL)
        memset(p, 0, bytes);
    return p;
}

/* Index of the first allocation that starts after address. */
static size_t
upper_bound(const struct memory *mem, uint64_t address)
{
    size_t low = 0, high = mem->count;

    while (low < high) {
        size_t mid = (low + high) / 2;

        if (mem->sorted[mid]->start <= address)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

struct allocation *
memory_lookup(struct machine *m, uint64_t address)
{
    size_t i = upper_bound(&m->memory, address);
    struct allocation *a;

    if (i == 0)
        return NULL;
    a = m->memory.sorted[i - 1];
    return address - a->start < a->bytes ? a : NULL;
}

static uint64_t
distance(const struct allocation *a, uint64_t address)
{
    if (address - a->start < a->bytes)
        return 0;
    return address < a->start ? a->start - address : address - (a->start + a->bytes);
}

struct allocation *
memory_nearest(struct machine *m, uint64_t address)
{
    size_t i = upper_bound(&m->memory, address);
    struct allocation *before = i > 0 ? m->memory.sorted[i - 1] : NULL;
    struct allocation *after = i < m->memory.count ? m->memory.sorted[i] : NULL;

    if (before == NULL || after == NULL)
        return before != NULL ? before : after;
    return distance(before, address) <= distance(after, address) ? before : after;
}

bool
memory_was_freed(struct machine *m, uint64_t address, uint64_t *start, uint64_t *bytes)
{
    for (size_t i = 0; i < 64; i++) {
        uint64_t s = m->memory.freed[i].start, n = m->memory.freed[i].bytes;

        if (n != 0 && address - s < n) {
            *start = s;
            *bytes = n;
            return true;
        }
    }
    return false;
}

static int
table_insert(struct memory *mem, struct allocation *a)
{
    size_t at = upper_bound(mem, a->start);

    if (mem->count == mem->max) {
        size_t max = mem->max != 0 ? mem->max * 2 : 64;
        struct allocation **sorted =
            realloc(mem->sorted, max * sizeof(struct allocation *));

        if (sorted == NULL)
            return -1;
        mem->sorted = sorted;
        mem->max = max;
    }
    memmove(&mem->sorted[at + 1], &mem->sorted[at],
            (mem->count - at) * sizeof(struct allocation *));
    mem->sorted[at] = a;
    mem->count++;
    return 0;
}

/* A free range of the address space, with its guard; 0: there is none. */
static uint64_t
find_address(struct memory *mem, uint64_t bytes)
{
    uint64_t span = ((bytes + 255) & ~(uint64_t)255) + GUARD_BYTES;
    uint64_t at = GLOBAL_BASE + GUARD_BYTES;

    if (span > GLOBAL_END - GLOBAL_BASE)
        return 0;
    if (mem->next <= GLOBAL_END - span) {
        at = mem->next;
        mem->next += span;
        return at;
    }
    for (size_t i = 0; i < mem->count; i++) {
        const struct allocation *a = mem->sorted[i];

        if (a->start + a->bytes < at)
            continue;
        if (a->start >= at + span)
            return at;
        at = (a->start + a->bytes + GUARD_BYTES + 255) & ~(uint64_t)255;
    }
    return at <= GLOBAL_END - span ? at : 0;
}

static struct allocation *
allocation_new(struct machine *m, uint64_t address, uint64_t bytes, void *host,
               bool import)
{
    struct allocation *a = calloc(1, sizeof *a);

    if (a == NULL)
        return NULL;
    a->start = address;
    a->bytes = bytes;
    a->imported = import;
    a->device = m->current;
    a->host = import ? host : host_alloc(bytes, &a->mapped_bytes);
    if (a->host == NULL || table_insert(&m->memory, a) != 0) {
        allocation_free(m, a);
        return NULL;
    }
    return a;
}

/* A kernel may call malloc() for single bytes without end, and each costs the host a
 * hundred. */
#define ALLOCATIONS_MAX (1u << 20)

static int
shadow_new(struct allocation *a)
{
    a->shadow = host_alloc(a->bytes, &a->shadow_mapped_bytes);
    return a->shadow != NULL ? 0 : -1;
}

uint64_t
memory_alloc(struct machine *m, uint64_t bytes, struct fault *f)
{
    struct memory *mem = &m->memory;
    uint64_t *used = &mem->used[m->current];
    struct allocation *a = NULL;
    uint64_t address = 0;

    if (bytes <= mem->limit && *used <= mem->limit - bytes &&
        mem->count < ALLOCATIONS_MAX)
        address = find_address(mem, bytes);
    if (address != 0)
        a = allocation_new(m, address, bytes, NULL, false);
    if (a == NULL || shadow_new(a) != 0) {
        if (a != NULL)
            memory_free(m, address);
        *f = (struct fault){.kind = FAULT_OUT_OF_MEMORY};
        fault_text(f, FAULT_OUT_OF_MEMORY,
                   "out of device memory: %llu bytes asked for, %llu of %llu bytes free",
                   (unsigned long long)bytes, (unsigned long long)(mem->limit - *used),
                   (unsigned long long)mem->limit);
        return 0;
    }
    *used += bytes;
    return address;
}

/* Memory for a module's variables is initialised, and does not count against the limit.
 */
uint64_t
memory_alloc_internal(struct machine *m, uint64_t bytes, uint64_t align)
{
    uint64_t address = find_address(&m->memory, bytes + (align > 256 ? align : 0));
    struct allocation *a;

    if (address == 0)
        return 0;
    if (align > 256)
        address = (address + align - 1) & ~(align - 1);
    a = allocation_new(m, address, bytes, NULL, false);
    if (a == NULL)
        return 0;
    a->internal = true;
    return address;
}

/* Adds an allocation to the table. NULL: there is no room, and f says so. */
static struct allocation *
import(struct machine *m, uint64_t address, void *host, uint64_t bytes, bool initialized,
       struct fault *f)
{
    struct allocation *a = NULL;

    if (address != 0)
        a = allocation_new(m, address, bytes, host, true);
    if (a != NULL && !initialized && shadow_new(a) != 0) {
        memory_free(m, address);
        a = NULL;
    }
    if (a == NULL)
        fault_text(f, FAULT_OUT_OF_MEMORY, "no room to import %llu bytes",
                   (unsigned long long)bytes);
    return a;
}

uint64_t
memory_import(struct machine *m, void *host, uint64_t bytes, bool initialized,
              struct fault *f)
{
    struct allocation *a =
        import(m, find_address(&m->memory, bytes), host, bytes, initialized, f);

    return a != NULL ? a->start : 0;
}

bool
memory_is_free(const struct machine *m, uint64_t address, uint64_t bytes)
{
    const struct memory *mem = &m->memory;
    size_t i = upper_bound(mem, address);
    bool free_before, free_after;

    free_before =
        i == 0 || mem->sorted[i - 1]->start + mem->sorted[i - 1]->bytes <= address;
    free_after = i == mem->count || mem->sorted[i]->start - address >= bytes;
    return address != 0 && address < GLOBAL_BASE && bytes <= GLOBAL_BASE - address &&
           free_before && free_after;
}

uint64_t
memory_import_at(struct machine *m, uint64_t address, void *host, uint64_t bytes,
                 bool initialized, struct fault *f)
{
    struct allocation *a;

    if (!memory_is_free(m, address, bytes)) {
        fault_text(f, FAULT_OUT_OF_MEMORY, "address %#llx is not free",
                   (unsigned long long)address);
        return 0;
    }
    a = import(m, address, host, bytes, initialized, f);
    if (a == NULL)
        return 0;
    a->device = EVERY_DEVICE;
    return a->start;
}

int
memory_free(struct machine *m, uint64_t address)
{
    struct memory *mem = &m->memory;
    size_t i = upper_bound(mem, address);
    struct allocation *a;

    if (i == 0 || mem->sorted[i - 1]->start != address)
        return -1;
    a = mem->sorted[i - 1];
    memmove(&mem->sorted[i - 1], &mem->sorted[i],
            (mem->count - i) * sizeof(struct allocation *));
    mem->count--;
    if (!a->imported && !a->internal && mem->used[a->device] >= a->bytes)
        mem->used[a->device] -= a->bytes;
    mem->freed[mem->freed_next].start = a->start;
    mem->freed[mem->freed_next].bytes = a->bytes;
    mem->freed_next = (mem->freed_next + 1) % 64;
    m->heap_count -= a->device_heap;
    allocation_free(m, a);
    return 0;
}

/* An allocation that is written as a whole needs no shadow any more: the fast path. */
int
memory_name(struct machine *m, uint64_t address, const char *name, size_t size,
            uint32_t element_bytes)
{
    struct allocation *a = memory_lookup(m, address);

    if (a == NULL || element_bytes == 0)
        return -1;
    snprintf(a->name, sizeof a->name, "%.*s", (int)size - 1, name);
    a->element_bytes = element_bytes;
    return 0;
}

void
memory_mark(struct machine *m, uint64_t address, uint64_t bytes, bool initialized)
{
    struct allocation *a = memory_lookup(m, address);
    uint64_t offset;

    if (a == NULL || bytes == 0)
        return;
    offset = address - a->start;
    if (bytes > a->bytes - offset)
        bytes = a->bytes - offset;
    if (initialized && a->shadow != NULL && bytes == a->bytes) {
        if (a->shadow_mapped_bytes != 0)
            munmap(a->shadow, a->shadow_mapped_bytes);
        else
            free(a->shadow);
        a->shadow = NULL;
        a->shadow_mapped_bytes = 0;
        return;
    }
    if (a->shadow == NULL) {
        if (initialized || shadow_new(a) != 0)
            return; /* without a shadow nothing is reported, so there is no false alarm */
        memset(a->shadow, 1, a->bytes);
    }
    memset(a->shadow + offset, initialized, bytes);
}

void *
memory_host(struct machine *m, uint64_t address, uint64_t bytes)
{
    struct allocation *a = memory_lookup(m, address);

    if (a == NULL || bytes > a->bytes - (address - a->start))
        return NULL;
    return a->host + (address - a->start);
}

int
memory_find(struct machine *m, uint64_t address, uint64_t *start, uint64_t *bytes)
{
    struct allocation *a = memory_lookup(m, address);

    if (a == NULL)
        return -1;
    *start = a->start;
    *bytes = a->bytes;
    return 0;
}

int
memory_device(struct machine *m, uint64_t address)
{
    const struct allocation *a = memory_lookup(m, address);

    return a != NULL ? a->device : EVERY_DEVICE;
}

uint64_t
memory_used(const struct machine *m)
{
    return m->memory.used[m->current];
}

uint64_t
memory_limit(const struct machine *m)
{
    return m->memory.limit;
}
