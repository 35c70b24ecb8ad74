/*
 * How long a warp needs for a run of instructions: what each costs (issue.c), and the
 * longest chain of results that need each other (critical.c).
 */
#ifndef EMULATOR_CRITICAL_H
#define EMULATOR_CRITICAL_H

#include "decoder.h"

struct issue_cost {
    uint8_t slots;  /* of a scheduler */
    uint8_t cycles; /* until the result can be used */
    bool load;      /* and as long as a load of global memory takes */
    bool unordered; /* a load that may pass stores (ld.nc) */
    bool orders;    /* what loads memory later waits until this one has its operands */
};
struct issue_cost issue_cost(const struct ptx_insn *in, enum ptx_space space,
                             bool in_entry, bool unused);

/* critical.c: for every instruction in turn, and when its run ends. */
void critical_add(struct decoder *d, const struct ptx_insn *in);
void critical_close(struct decoder *d);
void critical_free(struct decoder *d);

/* Is operand 0 a result? */
bool writes_first_operand(const struct ptx_insn *in);

#endif
