/* How long a warp needs for a run of instructions: its critical path (critical.c). */
#ifndef EMULATOR_CRITICAL_H
#define EMULATOR_CRITICAL_H

#include "decoder.h"

/* For every instruction in turn, and when its run ends. */
void critical_add(struct decoder *d, const struct ptx_insn *in);
void critical_close(struct decoder *d);
void critical_free(struct decoder *d);

#endif
