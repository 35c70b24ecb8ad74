/* What cvt and cvt.pack share (convert.c, convert_pack.c). */
#ifndef EMULATOR_CONVERT_H
#define EMULATOR_CONVERT_H

#include "../decode/emit.h"

/* x as an integer of type `to`, saturated to its range where sat says so. A negative x is
 * in two's complement. */
uint64_t convert_integer(uint64_t x, bool negative, enum ptx_type to, bool sat);

/* Decodes cvt.pack. -1: its types or operands do not fit. */
int decode_cvt_pack(struct decoder *d, const struct ptx_insn *in);

#endif
