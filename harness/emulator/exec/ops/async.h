/* Asynchronous copies and what tells of their end: copy_async.c, bulk.c, mbarrier.c. */
#ifndef EMULATOR_ASYNC_H
#define EMULATOR_ASYNC_H

#include "../decode/emit.h"
#include "../warp.h"

/* copy_async.c: the warp's copies under way. */
void copies_free(struct warp *w);
void copies_reset(struct warp *w); /* a new block's warp */
/* Ends, for the lanes of w->mask, all but the last `pending` groups; UINT32_MAX: all
 * copies that they have begun. */
void copies_wait(struct warp *w, uint32_t pending);

/* [register + offset] or [variable + offset] into lane vector i of e, 4 or 8 bytes wide.
 */
int decode_pointer(struct decoder *d, const struct ptx_operand *o, struct extra *e,
                   unsigned i, int64_t *offset);

/* mbarrier.c: bytes have arrived at the object at this address of shared memory. false:
 * fault. */
bool mbarrier_complete(struct warp *w, const struct insn *in, unsigned lane,
                       uint32_t slot, uint64_t address, uint32_t bytes);

#endif
