/*
 * The owners of the families of instructions, as rows of opcodes.def name them, and the
 * file that has a family's decoder and handlers. Each returns 0, or -1 for a form that
 * this build does not know (emit.h).
 */
#ifndef EMULATOR_FAMILIES_H
#define EMULATOR_FAMILIES_H

#include "../../ptx/ptx.h"

#include <stdint.h>

struct decoder;
struct extra;

#define FAMILIES(X)                                                                      \
    X(addresses)     /* ops/address.c */                                                 \
    X(arithmetic)    /* ops/arithmetic.c; scalar_*.c, integer.c */                       \
    X(atomic)        /* ops/atomic.c; red.async: bulk.c */                               \
    X(barrier)       /* ops/barrier.c; also cluster_barrier.c, sync.c */                 \
    X(bits)          /* ops/bits.c */                                                    \
    X(carry)         /* ops/carry.c */                                                   \
    X(compare)       /* ops/compare.c */                                                 \
    X(control)       /* ops/control.c; handlers that change paths: warp.c, call.c */     \
    X(convert)       /* ops/convert.c */                                                 \
    X(copy)          /* ops/copy_async.c; cp.async.bulk: bulk.c */                       \
    X(hint)          /* ops/hint.c */                                                    \
    X(logic)         /* ops/move.c */                                                    \
    X(matrix)        /* ops/matrix.c */                                                  \
    X(matrix_memory) /* ops/matrix_memory.c */                                           \
    X(mbarrier)      /* ops/mbarrier.c */                                                \
    X(memory)        /* ops/load_store.c; handlers: access_*.inc; st.async: bulk.c */    \
    X(move)          /* ops/move.c */                                                    \
    X(multiply)      /* ops/matrix_multiply.c */                                         \
    X(policy)        /* ops/hint.c */                                                    \
    X(shuffle)       /* ops/shuffle.c */                                                 \
    X(stack)         /* ops/stack.c */                                                   \
    X(surface)       /* texture/surface_ops.c */                                         \
    X(sync)          /* ops/sync.c */                                                    \
    X(system)        /* ops/system.c */                                                  \
    X(texture)       /* texture/texture_ops.c */                                         \
    X(texture_query) /* texture/texture_ops.c */                                         \
    X(unknown)       /* decode/opcode.c */                                               \
    X(video)         /* ops/video.c */
#define X(name) int decode_##name(struct decoder *d, const struct ptx_insn *in);
FAMILIES(X)
#undef X

/* --- forms that lie in another file than the rest of their family ------------- */

int decode_single(struct decoder *d, const struct ptx_insn *in);
int decode_scalar_float(struct decoder *d, const struct ptx_insn *in);
int decode_integers(struct decoder *d, const struct ptx_insn *in);
int decode_warp_barrier(struct decoder *d, const struct ptx_insn *in);
int decode_cluster_barrier(struct decoder *d, const struct ptx_insn *in);
int decode_bulk_copy(struct decoder *d, const struct ptx_insn *in);
int decode_store_bulk(struct decoder *d, const struct ptx_insn *in);
int decode_store_async(struct decoder *d, const struct ptx_insn *in);
int decode_copy_arrival(struct decoder *d, const struct ptx_insn *in);
int decode_clock(struct decoder *d, const struct ptx_insn *in);
int decode_fence(struct decoder *d, const struct ptx_insn *in);

/* system.c: vprintf, __assertfail, malloc, free. e->vectors: offsets of the arguments. */
int decode_builtin_call(struct decoder *d, const char *name,
                        const struct ptx_operand *arguments,
                        const struct ptx_operand *results, struct extra *e);

#endif
