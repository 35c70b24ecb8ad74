/*
 * The decoders of families of instructions, by the file that has a family's handlers too.
 * Each returns 0, or -1 for a form that this build does not know (emit.h).
 */
#ifndef EMULATOR_FAMILIES_H
#define EMULATOR_FAMILIES_H

#include "../../ptx/ptx.h"

#include <stdint.h>

struct decoder;
struct extra;

int decode_arithmetic(struct decoder *d, const struct ptx_insn *in);
int decode_move(struct decoder *d, const struct ptx_insn *in);
int decode_compare(struct decoder *d, const struct ptx_insn *in);
int decode_convert(struct decoder *d, const struct ptx_insn *in);
int decode_scalar(struct decoder *d, const struct ptx_insn *in);
int decode_bits(struct decoder *d, const struct ptx_insn *in);
int decode_integers(struct decoder *d, const struct ptx_insn *in);
int decode_other(struct decoder *d, const struct ptx_insn *in);
int decode_carry(struct decoder *d, const struct ptx_insn *in);
int decode_stack(struct decoder *d, const struct ptx_insn *in);
int decode_video(struct decoder *d, const struct ptx_insn *in);
bool is_video(enum ptx_op op);
int decode_single(struct decoder *d, const struct ptx_insn *in);
int decode_scalar_float(struct decoder *d, const struct ptx_insn *in);
int decode_memory(struct decoder *d, const struct ptx_insn *in);
int decode_addresses(struct decoder *d, const struct ptx_insn *in);
int decode_atomic(struct decoder *d, const struct ptx_insn *in);
int decode_control(struct decoder *d, const struct ptx_insn *in);
int decode_sync(struct decoder *d, const struct ptx_insn *in);
int decode_cluster_barrier(struct decoder *d, const struct ptx_insn *in);
int decode_copy_async(struct decoder *d, const struct ptx_insn *in);
int decode_bulk_copy(struct decoder *d, const struct ptx_insn *in);
int decode_system(struct decoder *d, const struct ptx_insn *in);
int decode_matrix(struct decoder *d, const struct ptx_insn *in);
int decode_mbarrier(struct decoder *d, const struct ptx_insn *in);
int decode_texture(struct decoder *d, const struct ptx_insn *in);

/* membar, fence: orders what was done before. */
int decode_fence(struct decoder *d, const struct ptx_insn *in);

/* system.c: vprintf, __assertfail, malloc, free. e->rows: offsets of the arguments. */
int decode_builtin_call(struct decoder *d, const char *name,
                        const struct ptx_operand *arguments,
                        const struct ptx_operand *results, struct extra *e);

#endif
