/* Counting memory requests at their sites while they are executed (count.c). */
#ifndef EMULATOR_COUNT_H
#define EMULATOR_COUNT_H

#include "../launch.h"

static inline struct site_counts *
site_counts(struct warp *w, uint32_t slot)
{
    return &w->worker->sites[slot];
}

/* Counts a request of these lanes to global memory: its sectors, and those that miss the
 * block's L1 cache. The range has consecutive bytes. */
void count_global(struct warp *w, uint32_t slot, const uint64_t *addresses,
                  uint32_t mask);
void count_global_range(struct warp *w, uint32_t slot, uint64_t first, uint64_t bytes);

/* The same for 1 to LANES sectors in the order of the lanes. They are numbered from the
 * line first_line on. */
void count_global_sectors(struct warp *w, uint32_t slot, uint64_t first_line,
                          const uint32_t *sectors, uint32_t count);

/* Counts a request to shared memory, of so many bytes a lane. */
void count_shared(struct warp *w, uint32_t slot, const uint64_t *addresses, uint32_t mask,
                  uint32_t bytes);

/* Counts a request whose lanes on one bank take turns, even if they are on one word. A
 * turn takes so many wavefronts. Returns the number of turns. */
unsigned count_shared_turns(struct warp *w, uint32_t slot, const uint64_t *addresses,
                            uint32_t mask, uint32_t bytes, unsigned wavefronts);

/* Counts a request of atomics. leaders has one lane for each update that memory makes. */
void count_atomics(struct warp *w, uint32_t slot, const uint64_t *addresses,
                   uint32_t mask, uint32_t leaders);

/* The same for a reduction of all elements of a range, each of so many bytes. */
void count_atomic_range(struct warp *w, uint32_t slot, uint64_t first, uint64_t bytes,
                        uint32_t element);

/* Counts a request to local memory, at these offsets of the lanes' own. L1 has the words
 * of equal offset side by side. */
void count_local(struct warp *w, uint32_t slot, const uint64_t *offsets, uint32_t mask,
                 uint32_t bytes);

/* Counts a request to constant memory, or to a kernel's parameters. Their cache gives one
 * word at a time; the first costs no more than the instruction. */
void count_constants(struct warp *w, uint32_t slot, const uint64_t *addresses,
                     uint32_t mask, uint32_t bytes);

#endif
