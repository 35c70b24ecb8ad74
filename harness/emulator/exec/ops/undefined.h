/*
 * Follows the values that shuffles read from lanes that take no part (undefined.c).
 *
 * Such a value is undefined (CUDA programming guide, "Warp Shuffle Functions"). To read
 * it is no mistake as long as the kernel drops it. The upper half of a reduction does so,
 * and so do lanes at an edge that choose another value.
 *
 * So the warp executes everything twice for a while, with another number in the place of
 * the undefined one. Where a store, an atomic, an address or a branch depends on it, a
 * notice tells of the shuffle.
 */
#ifndef EMULATOR_UNDEFINED_H
#define EMULATOR_UNDEFINED_H

#include "../warp.h"

struct part;
struct undefined;

/* What such a lane seems to hold: 0, as on an H200, and in the second execution a number
 * that is large, positive and finite in any type. */
enum { UNDEFINED_FIRST = 0, UNDEFINED_SECOND = 0x7b7b7b7b };

/* Lane `reader` of this part is about to read `source` in a shuffle with the mask
 * `members`. The warp follows the value from now on. */
void undefined_begin(struct warp *w, const struct part *p, unsigned reader,
                     unsigned source, uint32_t members);

/* The registers of the second execution; NULL: these are not followed, and from now on
 * nothing is. */
uint8_t *undefined_registers(struct warp *w, const uint8_t *regs);

/* Executes until the path waits (NULL), or until nothing is followed any more. */
const struct insn *undefined_run(struct warp *w, const struct insn *in);

/* atomic.c: do the lanes give an atomic other operands in these registers than in the
 * warp's own? Then what it has returned, which is copied to these registers. */
bool atomic_differs(struct warp *w, const struct insn *in, uint8_t *other, uint32_t mask);
void atomic_copy_results(const struct warp *w, const struct insn *in, uint8_t *to,
                         uint32_t mask);

/* Follows nothing any more. */
void undefined_end(struct warp *w);

#endif
