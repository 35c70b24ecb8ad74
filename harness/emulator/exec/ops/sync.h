/* Operations that lanes of a warp do together (*.sync): see sync.c. */
#ifndef EMULATOR_SYNC_H
#define EMULATOR_SYNC_H

#include "../warp.h"

enum sync_kind {
    SYNC_SHFL,
    SYNC_VOTE,
    SYNC_MATCH,
    SYNC_REDUX,
    SYNC_WARP,
    SYNC_ACTIVE,
    SYNC_MATRIX,
    SYNC_ELECT,
};

/* The lanes of one path that take part, and the instruction that they are at. */
struct part {
    const struct insn *in;
    uint8_t *regs;
    uint32_t mask;
};

/* What a *.sync instruction needs beside its operands; in->extra points into one. */
struct sync_op {
    struct extra extra; /* lane vectors, widths */
    enum sync_kind kind;
    uint32_t member_vector; /* UINT32_MAX: all lanes (.aligned operations) */
    bool (*run)(struct warp *w, const struct part *parts,
                uint32_t count); /* false: fault */
};

/* shfl.sync. extra.vectors: d, a, b, c, p (UINT32_MAX: none); insn.x = mode. The rest is
 * for whole warps where who gives to whom is known: of each lane the giver's place among
 * its eight lanes, of each eight lanes the one or two eights that they take from. */
struct shuffle {
    struct sync_op sync; /* first: op_sync finds it behind in->extra */
    uint8_t element[LANES];
    int8_t from_second[LANES]; /* -1: the giver is of the second eight; 0: of the first */
    uint8_t first[LANES / 8], second[LANES / 8]; /* equal: there is only one */
    uint32_t found;                              /* lanes whose source is in range */
};

struct decoder;

/* Fills a zeroed op; members NULL: all lanes. -1: no operand that can be a membermask. */
int init_sync(struct decoder *d, struct sync_op *op, enum sync_kind kind,
              const struct ptx_operand *members,
              bool (*run)(struct warp *w, const struct part *parts, uint32_t count));

/* The handler of all of them. */
const struct insn *op_sync(struct warp *w, const struct insn *in);

/* After lanes have exited: those who waited for them may go on. */
void sync_recheck(struct warp *w);

#endif
