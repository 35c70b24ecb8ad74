/* Shared by decode.c, paths.c and issue.c: how long the runs of a kernel take. */
#ifndef EMULATOR_PATHS_H
#define EMULATOR_PATHS_H

#include "decode.h"

struct issue_cost {
    uint8_t slots;  /* of a scheduler */
    uint8_t cycles; /* until the result can be used */
    bool load;      /* and as long as a load of global memory takes */
    bool unordered; /* a load that may pass stores (ld.nc) */
    bool orders;    /* what loads memory later waits until this one has its operands */
};
struct issue_cost issue_cost(const struct ptx_insn *in, enum ptx_space space,
                             bool in_entry, bool unused);

/* paths.c: for every instruction in turn, and when its run ends. */
void path_add(struct decoder *d, const struct ptx_insn *in);
void path_close(struct decoder *d);
void path_free(struct decoder *d);

#endif
