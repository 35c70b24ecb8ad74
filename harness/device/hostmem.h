/*
 * Buffers in host memory, for the kinds whose memory the arbiter maps itself (emu,
 * host). A shareable one is a memfd, a private one anonymous memory. A freed block goes
 * back to a pool with its pages, so that the next test costs no page faults.
 */
#ifndef DEVICE_HOSTMEM_H
#define DEVICE_HOSTMEM_H

#include "device/device_ops.h"

struct hostmem_block {
    struct hostmem_block *next;
    void *map;
    uint64_t capacity; /* size in bytes, whole pages */
    int fd;            /* memfd; -1: private */
};

struct hostmem_pool {
    struct hostmem_block *idle;
    bool no_second_use; /* shareable blocks are not used again, because a process that had
                           one may still map it */
};

/* A buffer of the kinds emu and host. */
struct hostmem_buffer {
    struct device_buffer base; /* must be first */
    struct hostmem_block *block;
    uint64_t address; /* emu: its address on the emulated GPU; 0: not imported */
    bool initialized; /* emu: its bytes count as written */
};

int hostmem_alloc(struct hostmem_pool *pool, uint64_t bytes, bool shareable,
                  struct device_buffer **out, struct report *r);
void hostmem_free(struct hostmem_pool *pool, struct device_buffer *b);
void hostmem_pool_free(struct hostmem_pool *pool);

int hostmem_fill(struct device *d, struct device_buffer *b, const struct gen *g,
                 uint64_t seed, uint64_t count, struct report *r);
int hostmem_poison(struct device *d, struct device_buffer *b, uint64_t seed,
                   struct report *r);
int hostmem_zero(struct device *d, struct device_buffer *b, struct report *r);
int hostmem_copy(struct device *d, struct device_buffer *to,
                 const struct device_buffer *from, struct report *r);
int hostmem_read(struct device *d, const struct device_buffer *b, uint64_t offset,
                 uint64_t bytes, void *host, struct report *r);
int hostmem_write(struct device *d, struct device_buffer *b, uint64_t offset,
                  uint64_t bytes, const void *host, struct report *r);
int hostmem_compare(struct device *d, const struct device_buffer *got,
                    const struct device_buffer *want, uint64_t count,
                    const struct compare_rule *rule, struct compare_result *out,
                    struct report *r);

#endif
