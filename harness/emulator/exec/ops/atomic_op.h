/*
 * One atomic operation on one element of memory (atomic_op.c): what atom and red do lane
 * by lane (atomic.c), and reductions of bulk copies byte range by byte range (bulk.c).
 */
#ifndef EMULATOR_ATOMIC_OP_H
#define EMULATOR_ATOMIC_OP_H

#include "../../ptx/ptx.h"

struct atomic_op {
    enum ptx_mod op; /* add, exch, cas, min, max, and, or, xor, inc, dec */
    enum ptx_type type;
    uint8_t bytes; /* of the element */
};

/* Does the operation exist on the type? Vectors and b128 have rules of their own. */
bool atomic_fits(const struct atomic_op *a);

/* Is the type a half, or a pair of halves? */
bool atomic_is_half(enum ptx_type t);

/* The value that the operation stores over `old`. c is cas's second operand only. */
uint64_t atomic_combine(const struct atomic_op *a, uint64_t old, uint64_t b, uint64_t c);

/* Each of these updates the element at `host` and returns its old value. The first is for
 * shared memory, which one worker accesses, the second for global memory, which all
 * workers access at once. */
uint64_t atomic_update_alone(const struct atomic_op *a, uint8_t *host, uint64_t b,
                             uint64_t c);
uint64_t atomic_update_together(const struct atomic_op *a, uint8_t *host, uint64_t b,
                                uint64_t c);

/* red's operation on one element in shared or global memory. Does it exist on the type?
 */
bool reduction_fits(enum ptx_mod op, enum ptx_type type);
void reduction_update(enum ptx_mod op, enum ptx_type type, bool global, uint8_t *host,
                      uint64_t value);

#endif
