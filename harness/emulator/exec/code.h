/*
 * Decoded code: what decode/ makes of PTX and what the handlers execute.
 *
 * A function becomes an array of struct insn, laid out in reverse post-order with loops
 * contiguous (layout.c). Every operand is a lane vector in the frame of the call: an
 * offset in bytes from warp->regs. Immediates, addresses of variables and special
 * registers are lane vectors as well, so that a handler never asks what an operand is.
 * The dispatch loop is `in = in->fn(w, in)`. A handler executes one instruction for the
 * lanes of w->mask. It returns the next instruction, or NULL with w->stop set.
 *
 * The kernel owns all decoded code, which lives as long as the kernel does.
 */
#ifndef EMULATOR_CODE_H
#define EMULATOR_CODE_H

#include "../ptx/ptx.h"

struct warp;
struct insn;
struct access; /* ops/access.h */
typedef const struct insn *(*handler)(struct warp *w, const struct insn *in);

struct insn {
    handler fn;
    uint32_t d, a, b, c; /* lane vectors: byte offsets from warp->regs */
    union {
        int64_t imm;
        const struct insn *target;
        handler inner;
        const struct extra *extra;
        const struct access *access;
        const struct region_paths *paths; /* op_run */
    };
    uint32_t x, y; /* what they mean is said at the handler */
};

/* The longest paths of a region where it depends on what a load takes which of them is
 * longest (decode/critical.c). */
struct region_path {
    uint32_t cycles, loads;
};
struct region_paths {
    struct region_path path[3]; /* if loads are answered by L1, by L2 and by DRAM */
};

/* The operands of an instruction that has more of them than an insn holds. */
struct extra {
    uint32_t vectors[40]; /* lane vectors */
    uint8_t widths[40];   /* bytes of an element of each; 0: a predicate's mask */
    uint32_t count;
    const struct insn **table;
    struct program *callee;
    const struct ptx_insn *origin;
    const char *reason; /* op_unsupported: the rest of its sentence; NULL: none */
    uint64_t (*scalar)(const uint64_t *v, uint32_t flags);
    int64_t imm;
    uint32_t slot; /* the site (kernel.h) at which its accesses count */
    enum ptx_space space;
    handler plain; /* where a warp may be held before it (order.h): the handler then */
};

/* A lane vector that depends on the launch, the thread or the call. It is written when a
 * frame is made. */
struct special {
    enum ptx_sreg sreg; /* NONE: address of a local or param variable; COUNT: of
                           dynamic shared memory */
    bool parameter;     /* not a register: the entry's parameter at local_offset */
    enum { PER_LAUNCH, PER_BLOCK, PER_WARP } changes; /* in the entry's frame */
    uint32_t vector, bytes;
    uint32_t local_offset;
};

/* A lane vector with one value in all lanes (predicates: a mask). */
struct constant {
    uint64_t bits;
    uint32_t vector, bytes;
};

/* A lane vector of a kernel that may be read before it is written. It holds zeros when a
 * warp begins. */
struct unwritten {
    struct unwritten *next;
    uint32_t vector, bytes;
};

/* Where a parameter lies: in the frame's local memory, or for an entry in the parameter
 * block. */
struct param_slot {
    uint32_t offset, bytes;
};

/* One function, decoded for one kernel. */
struct program {
    struct program *next;
    const struct ptx_func *func;
    const struct ptx_loc *caller; /* the place of the user's that calls it; NULL: none */
    bool called_elsewhere;        /* there are several such places */
    struct insn *insns;
    const struct ptx_insn **origin; /* parallel to insns; NULL: made by us */
    uint32_t insn_count;
    uint32_t frame_bytes; /* of all lane vectors together */
    struct constant *constants;
    uint32_t constant_count;
    struct special *specials;
    uint32_t special_count;
    struct unwritten *unwritten; /* NULL: none */
    uint32_t local_bytes;        /* a thread */
    struct param_slot *params, *returns;
    uint32_t param_count, return_count;
};

#endif
