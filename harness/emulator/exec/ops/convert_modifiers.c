/* What the modifiers of cvt say, and which conversions there are (PTX ISA 9.7.9.21). */
#include "../decode/emit.h"
#include "convert.h"
#include "half.h"

static unsigned
bits_of(enum ptx_type t)
{
    return ptx_type_bytes(t) * 8;
}

static bool
is_float(enum ptx_type t)
{
    return ptx_type_class(t) == PTX_CLASS_FLOAT;
}

/* Must the conversion say how it rounds? (9.7.9.21) */
static bool
must_round(enum ptx_type to, enum ptx_type from)
{
    bool is_packed = ptx_type_class(to) == PTX_CLASS_PACKED ||
                     ptx_type_class(from) == PTX_CLASS_PACKED;

    return is_packed || is_float(to) != is_float(from) ||
           (is_float(to) && bits_of(to) < bits_of(from));
}

/* Reads how a conversion rounds: to an integer, or to a narrower type. UINT32_MAX: it has
 * to say so, and does not. */
static uint32_t
rounding_read(struct decoder *d, const struct ptx_insn *in, enum ptx_type to,
              enum ptx_type from)
{
    static const uint16_t modes[][2] = {{PTX_MOD_rn, PTX_MOD_rni},
                                        {PTX_MOD_rz, PTX_MOD_rzi},
                                        {PTX_MOD_rm, PTX_MOD_rmi},
                                        {PTX_MOD_rp, PTX_MOD_rpi}};
    static const uint32_t flags[] = {ROUND_NEAREST, ROUND_ZERO, ROUND_DOWN, ROUND_UP};
    bool integral = is_float(from) && (!is_float(to) || to == from) && to != PTX_tf32 &&
                    ptx_type_class(to) != PTX_CLASS_PACKED;
    bool narrows = (is_float(to) && !is_float(from)) || bits_of(to) < bits_of(from) ||
                   to == PTX_tf32 || ptx_type_class(to) == PTX_CLASS_PACKED ||
                   ptx_type_class(from) == PTX_CLASS_PACKED ||
                   (bits_of(to) == 16 && bits_of(from) == 16 && to != from) ||
                   (from == PTX_bf16 && is_float(to) && to != from); /* says ptxas */
    bool to_or_from_float =
        is_float(from) || is_float(to) || ptx_type_class(from) == PTX_CLASS_PACKED;

    if (to == PTX_tf32 && mod_read(d, in, PTX_MOD_rna))
        return ROUND_AWAY << CVT_ROUND;
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        if (integral && mod_read(d, in, (enum ptx_mod)modes[i][1]))
            return flags[i] << CVT_ROUND | CVT_INTEGRAL;
        if (!integral && narrows && to_or_from_float &&
            mod_read(d, in, (enum ptx_mod)modes[i][0]))
            return flags[i] << CVT_ROUND;
    }
    return must_round(to, from) ? UINT32_MAX : 0;
}

uint32_t
convert_flags(struct decoder *d, const struct ptx_insn *in, enum ptx_type to,
              enum ptx_type from)
{
    bool packed = ptx_type_class(to) == PTX_CLASS_PACKED && to != PTX_tf32;
    bool eights = packed && bits_of(to) == 16;
    bool halves = to == PTX_f16 || to == PTX_bf16 || to == PTX_f16x2 || to == PTX_bf16x2;
    uint32_t flags = rounding_read(d, in, to, from);
    bool bounded;

    if (flags == UINT32_MAX)
        return flags;
    bounded = !packed && to != PTX_tf32 && to != PTX_bf16 && from != PTX_bf16 &&
              mod_read(d, in, PTX_MOD_sat);
    flags |= bounded ? CVT_SAT : 0;
    if (!packed && to != PTX_tf32 && (to == PTX_f32 || from == PTX_f32) &&
        mod_read(d, in, PTX_MOD_ftz))
        flags |= CVT_FTZ;
    if (bounded)
        return flags;
    if ((flags >> CVT_ROUND & 7) <= ROUND_ZERO &&
        (from == PTX_f32 ? halves || eights || to == PTX_tf32
                         : eights || (packed && bits_of(from) == 16)) &&
        mod_read(d, in, PTX_MOD_relu))
        flags |= CVT_RELU;
    if ((eights || (from == PTX_f32 && (halves || to == PTX_tf32))) &&
        mod_read(d, in, PTX_MOD_satfinite))
        flags |= CVT_SATFINITE;
    return flags;
}

static bool
is_eights(enum ptx_type t)
{
    return t == PTX_e4m3x2 || t == PTX_e5m2x2;
}

/* There is none of bits, to tf32 but from f32, or from a pair to one number. Pairs are
 * rounded to the nearest or to zero, those of 8-bit floats only to the nearest and within
 * their range. */
bool
convert_exists(enum ptx_type to, enum ptx_type from, uint32_t flags)
{
    bool is_packed = ptx_type_class(to) == PTX_CLASS_PACKED;
    bool from_packed = ptx_type_class(from) == PTX_CLASS_PACKED;
    bool has_bits =
        ptx_type_class(to) == PTX_CLASS_BITS || ptx_type_class(from) == PTX_CLASS_BITS;
    enum rounding r = (enum rounding)(flags >> CVT_ROUND & 7);

    if (flags == UINT32_MAX || has_bits || from == PTX_tf32 ||
        (to == PTX_tf32 && from != PTX_f32) || (from_packed && !is_packed) ||
        (is_packed && (r == ROUND_DOWN || r == ROUND_UP)))
        return false;
    return (r == ROUND_NEAREST || (!is_eights(to) && !is_eights(from))) &&
           (!is_eights(to) || (flags & CVT_SATFINITE) != 0);
}
