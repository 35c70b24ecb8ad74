/* Asynchronous copies (copy_async.c, bulk.c), and the barriers that tell of their end
 * (mbarrier.c). */
#ifndef EMULATOR_ASYNC_H
#define EMULATOR_ASYNC_H

#include "../decode/emit.h"
#include "../warp.h"

/* copy_async.c: the copies of a warp that are under way. copies_reset() forgets them for
 * a new block. */
void copies_free(struct warp *w);
void copies_reset(struct warp *w);

/* Ends the copies of the lanes of w->mask but the last `pending` groups. UINT32_MAX: ends
 * all copies that they have begun. */
void copies_wait(struct warp *w, uint32_t pending);

/* flight.c: bulk copies from global to shared memory. Their bytes are read when they
 * begin and land when a warp tests their mbarrier. So a program that does not wait reads
 * what was there before, every time. A block that ends takes with it what would land
 * there.
 *
 * flight_begin() returns where to put the bytes. NULL: too many are under way, or the
 * host has no memory, and the copy must be made at once. */
uint8_t *flight_begin(struct warp *w, const uint8_t *barrier, uint8_t *to,
                      uint32_t bytes);
void flights_land(struct worker *wk, const uint8_t *barrier);

/* Decodes [register + offset] or [variable + offset] into lane vector i of e, which is 4
 * or 8 bytes wide, and *offset. -1: the operand has another form. */
int decode_pointer(struct decoder *d, const struct ptx_operand *o, struct extra *e,
                   unsigned i, int64_t *offset);

/* mbarrier.c: tells the mbarrier at this address of shared memory that bytes have
 * arrived. false: the warp has its fault. */
bool mbarrier_complete(struct warp *w, const struct insn *in, unsigned lane,
                       uint32_t slot, uint64_t address, uint32_t bytes);

#endif
