/* What cvt and cvt.pack share (convert.c, convert_modifiers.c, convert_pack.c). */
#ifndef EMULATOR_CONVERT_H
#define EMULATOR_CONVERT_H

#include "../decode/emit.h"

/* x as an integer of type `to`, saturated to its range where sat says so. A negative x is
 * in two's complement. */
uint64_t convert_integer(uint64_t x, bool negative, enum ptx_type to, bool sat);

/* Decodes cvt.pack. -1: its types or operands do not fit. */
int decode_cvt_pack(struct decoder *d, const struct ptx_insn *in);

/* --- convert_modifiers.c ------------------------------------------------------- */

/* What a conversion does, in 32 bits. */
enum {
    CVT_FROM = 0,           /* bits 0-7 */
    CVT_TO = 8,             /* bits 8-15 */
    CVT_ROUND = 16,         /* bits 16-18: enum rounding */
    CVT_INTEGRAL = 1 << 19, /* .rni and the like: round to an integer */
    CVT_SAT = 1 << 20,
    CVT_FTZ = 1 << 21,
    CVT_RELU = 1 << 22,
    CVT_SATFINITE = 1 << 23,
};

/* Reads the modifiers that the types can have. UINT32_MAX: the conversion has to say how
 * it rounds, and does not. */
uint32_t convert_flags(struct decoder *d, const struct ptx_insn *in, enum ptx_type to,
                       enum ptx_type from);

/* Is there such a conversion, as far as its flags have not said? */
bool convert_exists(enum ptx_type to, enum ptx_type from, uint32_t flags);

#endif
