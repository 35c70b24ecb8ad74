/* The *.sync instructions, which lanes of a warp execute together (sync.c). */
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

/* Lanes that take part: those of one path, which all stand at one instruction. */
struct part {
    const struct insn *in;
    uint8_t *regs;
    uint32_t mask;
};

/* A *.sync instruction, decoded; in->extra points to its first member. */
struct sync_op {
    struct extra extra; /* lane vectors, widths */
    enum sync_kind kind;
    uint32_t member_vector; /* UINT32_MAX: all lanes (.aligned operations) */
    bool (*run)(struct warp *w, const struct part *parts,
                uint32_t count); /* false: fault */
};

/* shfl.sync, decoded. extra.vectors are d, a, b, c, p (UINT32_MAX: none); insn.x is the
 * mode. The other members are for a whole warp, where the text says which lane reads
 * which. Eight lanes read from one or two groups of eight lanes. */
struct shuffle {
    struct sync_op sync;       /* comes first: op_sync finds it behind in->extra */
    uint8_t element[LANES];    /* by lane: the place of its source in the group */
    int8_t from_second[LANES]; /* by lane: -1: the source is in the second group */
    uint8_t first[LANES / 8], second[LANES / 8]; /* groups; equal: there is only one */
    uint32_t found;                              /* lanes whose source is in range */
};

struct decoder;

/* Fills an op of zeros. members is the membermask; NULL: all lanes. -1: it cannot be one.
 */
int init_sync(struct decoder *d, struct sync_op *op, enum sync_kind kind,
              const struct ptx_operand *members,
              bool (*run)(struct warp *w, const struct part *parts, uint32_t count));

/* The membermask of a part's first lane. */
uint32_t sync_members(const struct part *p);

/* The handler of all *.sync instructions. */
const struct insn *op_sync(struct warp *w, const struct insn *in);

/* Lets lanes go on that waited for lanes which have exited. */
void sync_recheck(struct warp *w);

#endif
