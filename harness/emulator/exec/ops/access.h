/*
 * Loads and stores of whole warps (access.inc), and how any instruction reaches the bytes
 * of one lane (access.c).
 */
#ifndef EMULATOR_ACCESS_H
#define EMULATOR_ACCESS_H

#include "../launch.h"

enum {
    ACCESS_SIGNED = 1,
    ACCESS_WAITS = 2,        /* volatile, acquire, relaxed: as spinning loops read */
    ACCESS_WIDE_ADDRESS = 4, /* the address register has 64 bits */
    ACCESS_FRAME = 8,        /* relative to the frame's local memory */
    ACCESS_QUIET = 16,       /* makes no race with certain others (decode/quiet.c) */
    ACCESS_RELEASES = 32,    /* st.release */
    ACCESS_PARAMETER = 128,  /* of a function: a register in machine code */
    ACCESS_PAST_L1 = 64,     /* a load that L2 answers */
};

/* What a load or store needs beside its insn. */
struct access {
    int64_t offset;
    uint32_t address;    /* lane vector; UINT32_MAX: the offset is the address */
    uint32_t vectors[8]; /* lane vectors of the data */
    uint8_t elements;    /* 1, 2, 4, 8 */
    uint8_t bytes;       /* of an element in memory */
    uint8_t lane_bytes;  /* of a lane's element in a register */
    uint8_t flags;       /* ACCESS_... */
    uint32_t slot;       /* the site at which it counts */
    enum ptx_space space;
    /* The array in shared memory from which the address is formed; NULL: not known. */
    const struct ptx_var *array;
    uint64_t array_at, array_end; /* its addresses; without an array all addresses */
    handler plain; /* where a warp may be held before it (order.h): the handler then */
    bool is_copy;  /* a load whose value is only stored elsewhere */
};

/* A handler with the width compiled in, for one element that fills its register. */
enum access_form { FORM_ANY, FORM_2, FORM_4, FORM_8, ACCESS_FORMS };

/* Addresses of a warp where those of each eight lanes are consecutive, or all the same.
 */
enum { GROUP = 8, GROUPS = LANES / GROUP };
struct lane_groups {
    uint64_t first[GROUPS]; /* address of the first lane */
    bool uniform[GROUPS];
    uint64_t least, most; /* of all lanes' addresses */
};

struct access_ops {
    handler load[7][ACCESS_FORMS], store[7][ACCESS_FORMS]; /* by enum ptx_space */
    handler load_kernel_param; /* ld.param without an address register */
    /* They write the lane vectors of special registers, in the width in which the next
     * instruction reads them: one value in all lanes, or consecutive ones of 32 bits. */
    void (*fill_vector)(uint8_t *vector, uint64_t value, uint32_t bytes);
    void (*count_vector)(uint32_t *vector, uint32_t first);
};
extern const struct access_ops access_generic, access_avx2;
const struct access_ops *access_ops(const struct machine *m);

/* The handler of a load or store; NULL: the space has none. */
handler access_handler(const struct machine *m, const struct access *ac,
                       enum ptx_space space, bool is_store);

/* The host's bytes of one lane's access in any space; a generic address says in which.
 * NULL: the warp has its fault. */
uint8_t *access_lane(struct warp *w, const struct insn *in, unsigned lane, uint32_t slot,
                     enum ptx_space space, uint64_t address, uint32_t bytes,
                     bool is_write);

/* The allocation that holds a global address, if the launch may access it; otherwise
 * no_allocation. The site remembers it. */
struct allocation *access_find(struct warp *w, uint32_t slot, uint64_t address);

/* With checks on, replaces each byte that was never written by 0x7b. As a number of any
 * type it is large, positive and finite. So a kernel whose answer depends on it goes
 * wrong, always in the same way, and one that drops it does not. */
static inline void
fill_unwritten(uint8_t *host, const uint8_t *shadow, uint32_t bytes)
{
    for (uint32_t i = 0; i < bytes; i++)
        if (shadow[i] == 0)
            host[i] = 0x7b;
}

/* Was no byte of a read ever written? Where a part was written, a structure is moved with
 * its padding, and there is nothing to notice. */
static inline bool
none_written(const uint8_t *shadow, uint32_t bytes)
{
    uint8_t any = 0;

    for (uint32_t i = 0; i < bytes; i++)
        any |= shadow[i];
    return any == 0;
}

#endif
