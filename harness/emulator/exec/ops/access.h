/*
 * Loads and stores (access.inc), and how any instruction reaches one lane's bytes
 * (access.c).
 */
#ifndef EMULATOR_ACCESS_H
#define EMULATOR_ACCESS_H

#include "../launch.h"

enum {
    ACCESS_SIGNED = 1,
    ACCESS_WAITS = 2,        /* volatile, acquire, relaxed: what spinning loops read */
    ACCESS_WIDE_ADDRESS = 4, /* the address register has 64 bits */
    ACCESS_FRAME = 8,        /* relative to the frame's local memory */
    ACCESS_QUIET = 16,       /* no race with certain others: decode/quiet.c */
    ACCESS_RELEASES = 32,    /* st.release */
};

/* What a load or store needs beside its insn. */
struct access {
    int64_t offset;
    uint32_t address;    /* lane vector; UINT32_MAX: none, the offset is all */
    uint32_t vectors[8]; /* lane vectors of the data */
    uint8_t elements;    /* 1, 2, 4, 8 */
    uint8_t bytes;       /* of an element in memory */
    uint8_t lane_bytes;  /* of an element of a register */
    uint8_t flags;       /* ACCESS_... */
    uint32_t slot;       /* the site at which it counts */
    enum ptx_space space;
    /* Shared memory: the array that the address is formed from; NULL: not known. */
    const struct ptx_var *array;
    uint64_t array_at, array_end; /* without an array: everything */
};

/* What one element of the register's own width allows: its width compiled in. */
enum access_form { FORM_ANY, FORM_2, FORM_4, FORM_8, ACCESS_FORMS };

/* Accesses of which each eight consecutive lanes' are consecutive or all the same. */
enum { GROUP = 8, GROUPS = LANES / GROUP };
struct lane_groups {
    uint64_t first[GROUPS]; /* address of the first lane */
    bool uniform[GROUPS];
    uint64_t least, most; /* of all lanes' addresses */
};

struct access_ops {
    handler load[7][ACCESS_FORMS], store[7][ACCESS_FORMS]; /* by enum ptx_space */
    handler load_kernel_param; /* without an address register */
    /* Lane vectors of special registers, written as wide as the next instruction reads
     * them: one value in all lanes; consecutive ones of 32 bits. */
    void (*fill_vector)(uint8_t *vector, uint64_t value, uint32_t bytes);
    void (*count_vector)(uint32_t *vector, uint32_t first);
};
extern const struct access_ops access_generic, access_avx2;
const struct access_ops *access_ops(const struct machine *m);

/* The handler of a load or store; NULL: there is none in this space. */
handler access_handler(const struct machine *m, const struct access *ac,
                       enum ptx_space space, bool is_store);

/* Host bytes of one lane's access in any space (GENERIC decides by address); NULL: the
 * warp has its fault. */
uint8_t *access_lane(struct warp *w, const struct insn *in, unsigned lane, uint32_t slot,
                     enum ptx_space space, uint64_t address, uint32_t bytes,
                     bool is_write);

/* The allocation that holds a global address and that the launch may touch; remembered
 * for the site. no_allocation: there is none. */
struct allocation *access_find(struct warp *w, uint32_t slot, uint64_t address);

/* What is read, where checks are on, in place of a byte that was never written: as a
 * number of any type it is large, positive and finite, so that a program whose answer
 * depends on it goes wrong, and always in the same way, while one that drops it does not.
 */
static inline void
fill_unwritten(uint8_t *host, const uint8_t *shadow, uint32_t bytes)
{
    for (uint32_t i = 0; i < bytes; i++)
        if (shadow[i] == 0)
            host[i] = 0x7b;
}

/* Is there something to tell of a read? Where a part of it was written, it is a structure
 * that is moved with its padding, and nothing is told. */
static inline bool
none_written(const uint8_t *shadow, uint32_t bytes)
{
    uint8_t any = 0;

    for (uint32_t i = 0; i < bytes; i++)
        any |= shadow[i];
    return any == 0;
}

#endif
