/*
 * Arithmetic that is done one lane at a time (scalar.c): a function gets up to six values
 * and flags, and returns the result. Values are the bits of their types, zero-extended; a
 * predicate is 0 or 1.
 */
#ifndef EMULATOR_SCALAR_H
#define EMULATOR_SCALAR_H

#include "../decode/emit.h"

typedef uint64_t scalar_function(const uint64_t *v, uint32_t flags);

/* Emits an instruction whose operand 0 is the result, and whose operands 1 to count have
 * these types. -1: an operand does not fit, or there are fewer. */
int emit_scalar(struct decoder *d, const struct ptx_insn *in, scalar_function *fn,
                uint32_t flags, enum ptx_type result, const enum ptx_type *types,
                uint32_t count);

/* The handler of such an instruction. In extra, vectors[0] is the result,
 * vectors[1...count] are the operands, and imm holds the flags. */
const struct insn *op_scalar(struct warp *w, const struct insn *in);

/* scalar_float.c: the bits of a floating-point type as a double, exactly. */
double value_of(uint64_t bits, enum ptx_type t);

static inline int64_t
sign_extend(uint64_t x, unsigned bits)
{
    return bits >= 64 ? (int64_t)x : (int64_t)(x << (64 - bits)) >> (64 - bits);
}

#endif
