/*
 * Device memory: the address space and the allocations in it (memory.c). exec.h has what
 * users of the emulator may ask of memory.
 *
 * Addresses are 64-bit numbers, sizes are bytes. The machine owns all allocations. It
 * owns their host memory, too, unless that was imported.
 */
#ifndef EMULATOR_MEMORY_H
#define EMULATOR_MEMORY_H

#include "exec.h"

#include <stdatomic.h>

/*
 * Global memory lies above 2^47. No x86-64 process has a mapping there unless it asks for
 * one, so host code that uses a device pointer faults. A window holds the generic
 * addresses of shared, local or param memory, as cvta makes them.
 */
#define GLOBAL_BASE 0x0000810000000000u
#define GLOBAL_END 0x0000f00000000000u
#define SHARED_WINDOW 0x0000f10000000000u
#define LOCAL_WINDOW 0x0000f20000000000u
#define PARAM_WINDOW 0x0000f30000000000u
#define WINDOW_BYTES 0x0000000100000000u

/* A program sees the "address" of a function as an opaque number from here on. */
#define FUNC_ADDRESS_BASE 0x0000f40000000000u

/* What the race detector remembers of some memory (race_shadow.c). All zeros: nothing. */
struct race_line;
struct race_chunk;
struct race_shadow {
    struct race_line *lines;
    size_t mapped_bytes;
    struct race_chunk *chunks; /* of cells */
    uint32_t written;          /* stamp of the last write to any of the memory */
};

struct allocation {
    uint64_t start, bytes;
    uint8_t *host;
    uint8_t *shadow;     /* by byte: 1 was written, 0 never was; NULL: all were */
    size_t mapped_bytes; /* 0: host is from aligned_alloc, or the importer's */
    size_t shadow_mapped_bytes;
    bool imported, internal;     /* internal: a module's variables */
    bool device_heap;            /* by malloc() in a kernel */
    bool constant;               /* a .const variable */
    int device;                  /* the owner; EVERY_DEVICE: the host's memory */
    char name[32];               /* of a parameter of solve(); "": none is known */
    uint32_t element_bytes;      /* of what has a name */
    _Atomic uint32_t touched_by; /* number of the last launch that accessed it */
    struct race_shadow race;
    /* The tags of its words, which say who has written them (links.c). NULL: no tag was
     * needed yet. */
    _Atomic(uint64_t *) tags;
    _Atomic uint32_t written_by; /* number of the last launch that wrote with tags */
};

struct memory {
    struct allocation **sorted; /* by start */
    size_t count, max;
    uint64_t next;                             /* address of the next allocation */
    uint64_t used[MACHINE_DEVICES_MAX], limit; /* bytes of each device */
    struct {
        uint64_t start, bytes;
    } freed[64]; /* the last allocations freed, to explain a use after free */
    unsigned freed_next;
    /* Bytes of all tags, and how many there may be: twice what kernels write would leave
     * too little for device memory. */
    _Atomic uint64_t tag_bytes;
    uint64_t tag_room;
};

/* An allocation of no bytes, to which an empty cache slot points. */
extern struct allocation no_allocation;

void memory_init(struct machine *m, uint64_t limit);
void memory_destroy(struct machine *m);

/* The allocation that holds the address; NULL: none does. */
struct allocation *memory_lookup(struct machine *m, uint64_t address);

/* Memory for a module's variables. It counts as written, and not against the limit. 0:
 * the host has none. */
uint64_t memory_alloc_internal(struct machine *m, uint64_t bytes, uint64_t align);

/* The allocation that holds the address, or else the nearest one; NULL: there are none.
 */
struct allocation *memory_nearest(struct machine *m, uint64_t address);

/* Makes the tags of an allocation, which may be asked for by several threads. NULL: there
 * is no memory or no room for them. */
uint64_t *memory_make_tags(struct machine *m, struct allocation *a);
void memory_forget_tags(struct machine *m, struct allocation *a);

/* Was the address in one of the allocations that were freed last? */
bool memory_was_freed(struct machine *m, uint64_t address, uint64_t *start,
                      uint64_t *bytes);

/* memory_text.c: writes why an access of these bytes at this address failed, as in ", 4
 * bytes past the end of a buffer". With `peers` the launch may access other devices'
 * memory. */
void memory_explain(struct machine *m, bool peers, uint64_t address, uint32_t bytes,
                    char *out, size_t size);

/* Names the elements that these bytes are or would be (memory_text.c), as "A[4]" or "A[4]
 * to A[7]". It returns false where the allocation has no name, or the bytes are far from
 * it. */
bool memory_elements(const struct allocation *a, uint64_t address, uint32_t bytes,
                     char *out, size_t size);

/* May a launch on device `current` access the allocation? */
static inline bool
is_within_reach(int current, bool peers, const struct allocation *a)
{
    return peers || a->device == current || a->device == EVERY_DEVICE;
}

#endif
