/* The critical path of a run of instructions: how long a warp needs for it (critical.c).
 */
#ifndef EMULATOR_CRITICAL_H
#define EMULATOR_CRITICAL_H

#include "decoder.h"

/* critical_add() takes each instruction in turn; critical_close() ends the run, and books
 * its cycles and loads to the lines of its instructions. */
void critical_add(struct decoder *d, const struct ptx_insn *in);
void critical_close(struct decoder *d);
/* The instruction, which was added last, keeps its unit beside the warp's scheduler busy
 * for so many cycles. */
void critical_occupy(struct decoder *d, const struct ptx_insn *in, uint32_t cycles);

/* A run ends, and its region goes on. */
void critical_end_run(struct decoder *d);
/* Is the block, which is decoded next, part of the open region? */
bool critical_continues(struct decoder *d, const struct code_block *b);
/* A block has been decoded. */
void critical_leave(struct decoder *d, struct code_block *blocks,
                    const struct code_block *b);
void critical_free(struct decoder *d);

#endif
