/*
 * The table of opcodes (ptx/opcodes.def) as decoding reads it. Everything that is asked
 * of an instruction by its name alone is asked here.
 */
#ifndef EMULATOR_OPCODE_H
#define EMULATOR_OPCODE_H

#include "emit.h"

/* All enumerations begin at 1, so that 0 is a field that a row leaves out. */
enum opcode_unit {
    UNIT_NONE = 1,
    UNIT_TYPE,
    UNIT_INT,
    UNIT_SFU,
    UNIT_SFU_TYPE,
    UNIT_TENSOR,
    UNIT_FORM,
};
enum opcode_parks { PARKS_NEVER = 1, PARKS_ALWAYS, PARKS_SYNC };
enum opcode_result { RESULT_FIRST = 1, RESULT_NONE, RESULT_IF_RED, RESULT_UNLESS_STORE };

/* What an instruction takes of a multiprocessor (issue.c). */
struct issue_cost {
    uint8_t slots;  /* of a scheduler */
    uint8_t cycles; /* until the result can be used */
    bool load;      /* the result comes after a load of global memory, too */
    bool unordered; /* a load that may pass stores (ld.nc) */
    bool orders;    /* later loads wait until this instruction has its operands */
};

/* The place of an instruction, as far as its cost depends on it. */
struct issue_place {
    enum ptx_space space;
    bool in_entry; /* in the kernel itself, not in a function that it calls */
    bool unused;   /* an atom whose result nobody reads */
};

struct opcode {
    const char *name;
    int (*decode)(struct decoder *d, const struct ptx_insn *in); /* the owner */
    uint8_t least, most;                                         /* operands */
    uint8_t unit, work;    /* enum opcode_unit; operations */
    uint8_t slots, cycles; /* before cost() */
    uint8_t parks, result; /* enum opcode_parks, opcode_result */
    void (*cost)(const struct ptx_insn *in, const struct issue_place *at,
                 struct issue_cost *c);
};

/* The row of an opcode; that of PTX_OP_UNKNOWN is owned by decode_unknown(). */
const struct opcode *opcode_of(enum ptx_op op);

/* The owner of the opcodes that this build does not know: it returns -1. */
int decode_unknown(struct decoder *d, const struct ptx_insn *in);

/* Counts work as the unit of the row says, which is TYPE, INT, SFU or SFU_TYPE. */
void count_unit(struct decoder *d, const struct ptx_insn *in);

/* May the instruction park the path? Then it ends a run, and cannot stand under op_guard.
 */
bool may_park(const struct ptx_insn *in);
/* Does ptxas move nothing across an instruction that may park? It does move independent
 * instructions across shuffles, votes and matrix products. */
bool ends_region(const struct ptx_insn *in);

/* Is operand 0 a result? */
bool writes_first_operand(const struct ptx_insn *in);

struct issue_cost issue_cost(const struct ptx_insn *in, const struct issue_place *at);

/* The functions of issue.c that a row may name as its cost. */
#define ISSUE_COSTS(X)                                                                   \
    X(fixed)                                                                             \
    X(arithmetic)                                                                        \
    X(product)                                                                           \
    X(division)                                                                          \
    X(function)                                                                          \
    X(load)                                                                              \
    X(fetch)                                                                             \
    X(ordered)                                                                           \
    X(atomic)                                                                            \
    X(matrix)                                                                            \
    X(packed)                                                                            \
    X(copy)
#define X(name)                                                                          \
    void cost_##name(const struct ptx_insn *in, const struct issue_place *at,            \
                     struct issue_cost *c);
ISSUE_COSTS(X)
#undef X

#endif
