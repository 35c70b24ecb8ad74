/*
 * What the passes of decoding share among themselves: the state of one function's
 * decoding. Only files of decode/ include this; decoders of families use emit.h.
 *
 * decode.c makes the passes over each function that the kernel reaches, in this order:
 *
 *   shared_layout.c, layout.c    place the variables and the blocks
 *   alias.c, vector_reuse.c      decide which registers share a lane vector
 *   decode.c                     asks the owner of each instruction (opcode.h) to emit it
 *   lines.c, critical.c          book what it counts as, and how long a warp needs for it
 */
#ifndef EMULATOR_DECODER_H
#define EMULATOR_DECODER_H

#include "../machine.h"
#include "emit.h"

/* A branch whose target isn't laid out yet. */
struct fixup {
    uint32_t insn;            /* index of the decoded instruction */
    uint32_t target;          /* index of the PTX instruction */
    const struct insn **slot; /* NULL: the insn's target */
};

/* A straight part of a function in the order of the text. */
struct code_block {
    uint32_t first, end; /* PTX instructions [first, end) */
    uint32_t *successors;
    uint32_t successor_count;
    bool falls_through;
    uint32_t position;     /* in the order of the layout */
    uint32_t predecessors; /* edges that lead here */
    uint32_t region, met;  /* critical.c: of these edges, those from the region so far */
};

/* A map from keys to numbers that are not 0 (number_map.c). */
struct number_map {
    struct number_map_slot {
        uint64_t key;
        uint32_t value;
    } * slot;
    uint32_t slots, used;
};

/* Where the number of the key is stored. If it is 0, the key is new, and the caller
 * stores its number at once. NULL: the host has no memory. */
uint32_t *number_map_at(struct number_map *map, uint64_t key);

/* Where a register is named (vector_reuse.c). */
struct life {
    uint32_t left;      /* mentions in the text */
    uint32_t block;     /* the last basic block so far that mentions it */
    uint32_t here;      /* mentions in that block */
    uint32_t last;      /* the instruction with the last of them */
    uint8_t lane_bytes; /* bytes of an element of the lane vector that it gives back; 0:
                           it gives none back */
    bool written_first;
    bool unwritten; /* in a kernel: it may be read before it is written */
};

/* Lane vectors that were given back. Where there are more, they are not used again. */
enum { VECTOR_POOL = 64 };
struct vector_pool {
    uint32_t vectors[VECTOR_POOL], count;
};

struct decoder {
    struct machine *machine;
    struct kernel *kernel;
    struct program *program;
    const struct ptx_func *func;
    struct fault *fault;
    struct insn *insns;
    const struct ptx_insn **origin;
    uint32_t count, max;
    uint32_t *vector_of; /* by register: its lane vector; UINT32_MAX: none yet */
    uint32_t *same_as;   /* by register: the register whose lane vector it has (alias.c),
                            perhaps itself; UINT32_MAX: none */
    struct register_sets *sets; /* while vector_reuse.c fills them */
    struct life *lives;         /* by register; NULL: lane vectors are not reused */
    struct vector_pool free_vectors[3]; /* of 2, 4 and 8 bytes an element */
    uint32_t block;                     /* the basic block being decoded, from 1 on */
    uint8_t *mentions;                  /* of each register, in the text */
    uint8_t *left_out; /* by PTX instruction: 1: it is not executed (alias.c) */
    uint32_t
        *starts; /* by PTX instruction that begins a block: index of the decoded one */
    uint32_t frame_bytes;
    struct constant *constants;
    uint32_t constant_count, constant_max;
    struct special *specials;
    uint32_t special_count, special_max;
    struct number_map constant_vectors[4],
        special_vectors; /* 1 + index, by what they are */
    struct frame_var {
        const struct ptx_var *var;
        uint32_t offset;
    } * frame_vars; /* the function's local and param variables */
    uint32_t frame_var_count;
    const struct ptx_insn **definition; /* of each register (quiet.c) */
    bool *computed_with;                /* of each register (copies.c) */
    const struct ptx_var **origins;     /* of each register (origin.c) */
    uint8_t *read; /* by place of an operand: the fields that were read (fields.c) */
    uint32_t read_max;
    uint32_t mods_read, types_read; /* a bit for each modifier and type (modifiers.c) */
    uint32_t carry;                 /* lane vector of .cc; UINT32_MAX: none yet */
    struct stack stack;             /* for alloca */
    struct fixup *fixups;
    uint32_t fixup_count, fixup_max;
    uint32_t run_insn, run_tally, tally; /* the open run, and where work is counted */
    const struct ptx_insn *current;
    const struct ptx_loc *line_loc; /* the last one that line_of() was asked for */
    uint32_t line;
    struct critical_node *critical_nodes; /* instructions of the open run (critical.c) */
    uint32_t critical_count, critical_max;
    bool critical_perhaps;   /* a branch may leave out the open run */
    uint32_t critical_slots; /* issue slots of the open run */
    /* The open region: its number, its first run, and the farthest block it leads to. */
    uint32_t region, region_insn, region_tally, region_reach;
    uint32_t critical_order;                  /* the last node that orders memory, + 1 */
    struct critical_writer *critical_writers; /* by register */
    bool no_memory;
};

/* --- decode.c ---------------------------------------------------------------- */

/* Ends the open run and begins another here. */
void open_run(struct decoder *d);
uint32_t tally_new(struct decoder *d);

/* --- lines.c: to what the instruction being decoded is booked ----------------- */

/* The instruction's line, an index into the kernel's lines. */
uint32_t line_of(struct decoder *d);
/* The share of a tally that belongs to the instruction's line, or to this line. Never
 * NULL, valid until the next call. */
struct share *share_of(struct decoder *d, uint32_t tally);
struct share *share_at(struct decoder *d, uint32_t tally, uint32_t line);

/* --- fields.c ------------------------------------------------------------------ */

/* Why the instruction cannot be what was decoded: a modifier, a type or a field of an
 * operand that nobody read, or a variable of another space than the access. NULL: it can.
 */
const char *fields_reason(struct decoder *d, const struct ptx_insn *in);

/* Is the operand a register, number or variable without anything before or behind it,
 * except an address's offset? */
bool is_plain(const struct ptx_operand *o);

/* --- layout.c, shared_layout.c ------------------------------------------------ */

/* The blocks of a function, and the order in which they are laid out. NULL: the host has
 * no memory. */
struct code_block *find_blocks(struct decoder *d, uint32_t *count);
uint32_t *block_order(struct decoder *d, const struct code_block *blocks, uint32_t count,
                      uint32_t *order_count);

/* Gives addresses to the shared variables that the kernel reaches. This precedes the
 * first instruction. */
void shared_layout(struct decoder *d);

/* --- operand.c, alias.c, vector_reuse.c --------------------------------------- */

/* The lane vector of the entry's parameter that holds these bytes at offset. */
uint32_t parameter_vector(struct decoder *d, uint32_t offset, uint32_t bytes);

/* Gives a register that only names a value the lane vector of that value. This precedes
 * the first instruction. */
void find_aliases(struct decoder *d, const struct code_block *blocks, uint32_t count);

/* Looks at the function when its aliases are known. -1: the host has no memory. */
int vector_reuse_begin(struct decoder *d, const struct code_block *blocks,
                       uint32_t count);

/* Looks at a block before it is decoded. */
void vector_reuse_block(struct decoder *d, const struct code_block *b);

/* Gives back the lane vectors that this instruction was the last to mention. */
void vector_reuse_after(struct decoder *d, uint32_t insn);

/* A lane vector for a register, with so many bytes an element; 0: a predicate. */
uint32_t register_vector(struct decoder *d, uint32_t reg, uint32_t bytes);

#endif
