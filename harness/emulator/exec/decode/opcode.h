/*
 * The table of opcodes (ptx/opcodes.def) as decoding reads it. Everything that is asked
 * of an instruction by its name alone is asked here.
 */
#ifndef EMULATOR_OPCODE_H
#define EMULATOR_OPCODE_H

#include "emit.h"

/* All enumerations begin at 1: 0 is a field that a row leaves out. */
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

/* What an instruction takes of a multiprocessor: issue.c. */
struct issue_cost {
    uint8_t slots;  /* of a scheduler */
    uint8_t cycles; /* until the result can be used */
    bool load;      /* and as long as a load of global memory takes */
    bool unordered; /* a load that may pass stores (ld.nc) */
    bool orders;    /* what loads memory later waits until this one has its operands */
};

/* Where an instruction stands, as far as its cost depends on it. */
struct issue_place {
    enum ptx_space space;
    bool in_entry; /* not in a function that is called */
    bool unused;   /* nobody reads the result of this atom */
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

/* The owner of what this build does not know: takes nothing. */
int decode_unknown(struct decoder *d, const struct ptx_insn *in);

/* Counts work as the row's unit says: TYPE, INT, SFU and SFU_TYPE. */
void count_unit(struct decoder *d, const struct ptx_insn *in);

/* May the instruction park the path (so that it ends a run and can't stand under
 * op_guard)? */
bool may_park(const struct ptx_insn *in);

/* Is operand 0 a result? */
bool writes_first_operand(const struct ptx_insn *in);

struct issue_cost issue_cost(const struct ptx_insn *in, const struct issue_place *at);

/* issue.c: X(name) for each that a row may name. */
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
    X(copy)
#define X(name)                                                                          \
    void cost_##name(const struct ptx_insn *in, const struct issue_place *at,            \
                     struct issue_cost *c);
ISSUE_COSTS(X)
#undef X

#endif
