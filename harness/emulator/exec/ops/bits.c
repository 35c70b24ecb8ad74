/* Fields, counts and shifts of bits, a lane at a time (PTX ISA 9.7.1.12 to .22, 9.7.8).
 */
#include "../decode/families.h"
#include "../decode/opcode.h"
#include "scalar.h"

/* Flags of all functions but s_prmt: the width in bits, and the modifiers. */
enum {
    WIDTH = 0x7f,
    SIGNED = 0x80,
    SHIFTAMT = 0x100,
    WRAP = 0x200,
    RIGHT = 0x400,
};

/* Position and length of a field. The ISA says that their lowest 8 bits count; an H200
 * follows it for 32 bits only. */
static void
field_of(const uint64_t *v, unsigned bits, unsigned *pos, unsigned *len)
{
    uint64_t mask = bits == 32 ? 0xff : UINT32_MAX;

    *pos = (unsigned)(v[0] & mask);
    *len = (unsigned)(v[1] & mask);
}

static uint64_t
s_bfe(const uint64_t *v, uint32_t flags)
{
    unsigned bits = flags & WIDTH, pos, len;
    uint64_t x = v[0], field;
    int64_t wide = (flags & SIGNED) ? sign_extend(x, bits) : (int64_t)x;

    field_of(v + 1, bits, &pos, &len);
    if (len == 0)
        return 0;
    if (pos >= bits)
        return (flags & SIGNED) && (x >> (bits - 1) & 1) != 0 ? UINT64_MAX : 0;
    field = (flags & SIGNED) ? (uint64_t)(wide >> pos) : x >> pos;
    if (len < bits - pos) {
        field &= ((uint64_t)1 << len) - 1;
        return (flags & SIGNED) ? (uint64_t)sign_extend(field, len) : field;
    }
    return field;
}

static uint64_t
s_bfi(const uint64_t *v, uint32_t flags)
{
    unsigned bits = flags & WIDTH, pos, len;
    uint64_t mask;

    field_of(v + 2, bits, &pos, &len);
    if (len == 0 || pos >= bits)
        return v[1];
    len = len < bits - pos ? len : bits - pos;
    mask = (len >= 64 ? UINT64_MAX : ((uint64_t)1 << len) - 1) << pos;
    return (v[1] & ~mask) | (v[0] << pos & mask);
}

static uint64_t
s_bfind(const uint64_t *v, uint32_t flags)
{
    unsigned bits = flags & WIDTH;
    int64_t s = sign_extend(v[0], bits);
    uint64_t x = (flags & SIGNED) && s < 0 ? ~(uint64_t)s : v[0];
    unsigned at;

    if (x == 0)
        return UINT32_MAX;
    at = 63 - (unsigned)__builtin_clzll(x);
    return (flags & SHIFTAMT) ? bits - 1 - at : at;
}

static uint64_t
s_brev(const uint64_t *v, uint32_t flags)
{
    uint64_t r = 0;

    for (unsigned i = 0; i < (flags & WIDTH); i++)
        r = r << 1 | (v[0] >> i & 1);
    return r;
}

static uint64_t
s_clz(const uint64_t *v, uint32_t flags)
{
    unsigned bits = flags & WIDTH;

    return v[0] == 0 ? bits : (uint64_t)__builtin_clzll(v[0]) - (64 - bits);
}

static uint64_t
s_popc(const uint64_t *v, uint32_t flags)
{
    (void)flags;
    return (uint64_t)__builtin_popcountll(v[0]);
}

/* 9.7.9.7 prmt. The flags are the mode: 0 for the generic one, else enum ptx_mod. */
static uint64_t
s_prmt(const uint64_t *v, uint32_t mode)
{
    uint64_t bytes = v[0] | v[1] << 32, r = 0;
    unsigned n = v[2] & 3;

    for (unsigned i = 0; i < 4; i++) {
        unsigned select = 0, byte;

        switch (mode) {
        case 0:
            select = (unsigned)(v[2] >> (4 * i)) & 0xf;
            break;
        case PTX_MOD_f4e:
            select = n + i;
            break;
        case PTX_MOD_b4e:
            select = (n - i) & 7;
            break;
        case PTX_MOD_rc8:
            select = n;
            break;
        case PTX_MOD_ecl:
            select = i < n ? n : i;
            break;
        case PTX_MOD_ecr:
            select = i < n ? i : n;
            break;
        default: /* rc16 */
            select = (n & 1) * 2 + (i & 1);
            break;
        }
        byte = (unsigned)(bytes >> (8 * (select & 7))) & 0xff;
        if (select & 8)
            byte = byte & 0x80 ? 0xff : 0;
        r |= (uint64_t)byte << (8 * i);
    }
    return r;
}

static uint64_t
s_shf(const uint64_t *v, uint32_t flags)
{
    uint64_t both = v[1] << 32 | v[0];
    unsigned n = (unsigned)((flags & WRAP) ? v[2] & 31 : v[2] > 32 ? 32 : v[2]);

    if (flags & RIGHT)
        return both >> n;
    return both << n >> 32;
}

static uint64_t
s_bmsk(const uint64_t *v, uint32_t flags)
{
    uint64_t a = v[0], b = v[1];

    if (flags & WRAP) {
        a &= 31;
        b &= 31;
    }
    if (a >= 32 || b == 0)
        return 0;
    return (b >= 32 ? UINT64_MAX : ((uint64_t)1 << b) - 1) << a;
}

static uint64_t
s_szext(const uint64_t *v, uint32_t flags)
{
    uint64_t n = (flags & WRAP) ? v[1] & 31 : v[1];

    if (n >= 32)
        return v[0];
    if (n == 0)
        return 0;
    return (flags & SIGNED) ? (uint64_t)sign_extend(v[0], (unsigned)n)
                            : v[0] & (((uint64_t)1 << n) - 1);
}

/* fns.b32: the n-th set bit from a base, upwards or downwards (9.7.1.18). */
static uint64_t
s_fns(const uint64_t *v, uint32_t flags)
{
    int base = (int)v[1], step = (int32_t)v[2] < 0 ? -1 : 1;
    uint32_t n = (uint32_t)v[2];

    (void)flags;
    n = step < 0 ? 0 - n : n;
    if (n == 0)
        return v[1] < 32 && (v[0] >> base & 1) != 0 ? v[1] : UINT32_MAX;
    for (int i = base; i >= 0 && i < 32; i += step)
        if ((v[0] >> i & 1) != 0 && --n == 0)
            return (uint64_t)i;
    return UINT32_MAX;
}

/* --- decoding ------------------------------------------------------------ */

int
decode_bits(struct decoder *d, const struct ptx_insn *in)
{
    enum ptx_type t = type_read(d, in, 0);
    uint32_t bits = ptx_type_bytes(t) * 8;
    enum ptx_mod outside = PTX_MOD_clamp, way;
    uint32_t flags = bits | (ptx_type_class(t) == PTX_CLASS_SINT ? SIGNED : 0);

    if (in->op == PTX_OP_shf || in->op == PTX_OP_bmsk || in->op == PTX_OP_szext)
        outside = MOD_READ_ANY(d, in, PTX_MOD_clamp, PTX_MOD_wrap);
    if ((bits != 32 && bits != 64) || outside == PTX_MOD_UNKNOWN)
        return -1;
    flags |= outside == PTX_MOD_wrap ? WRAP : 0;
    count_unit(d, in);
    switch (in->op) {
    case PTX_OP_bfe:
        return emit_scalar(d, in, s_bfe, flags, t, (enum ptx_type[]){t, PTX_u32, PTX_u32},
                           3);
    case PTX_OP_bfi:
        return emit_scalar(d, in, s_bfi, flags, t,
                           (enum ptx_type[]){t, t, PTX_u32, PTX_u32}, 4);
    case PTX_OP_bfind:
        flags |= mod_read(d, in, PTX_MOD_shiftamt) ? SHIFTAMT : 0;
        return emit_scalar(d, in, s_bfind, flags, PTX_u32, &t, 1);
    case PTX_OP_brev:
        return emit_scalar(d, in, s_brev, flags, t, &t, 1);
    case PTX_OP_clz:
        return emit_scalar(d, in, s_clz, flags, PTX_u32, &t, 1);
    case PTX_OP_popc:
        return emit_scalar(d, in, s_popc, flags, PTX_u32, &t, 1);
    case PTX_OP_shf:
        way = MOD_READ_ANY(d, in, PTX_MOD_l, PTX_MOD_r);
        if (way == PTX_MOD_UNKNOWN)
            return -1;
        flags |= way == PTX_MOD_r ? RIGHT : 0;
        return emit_scalar(d, in, s_shf, flags, t, (enum ptx_type[]){t, t, PTX_u32}, 3);
    case PTX_OP_bmsk:
        return emit_scalar(d, in, s_bmsk, flags, t, (enum ptx_type[]){PTX_u32, PTX_u32},
                           2);
    case PTX_OP_szext:
        return emit_scalar(d, in, s_szext, flags, t, (enum ptx_type[]){t, PTX_u32}, 2);
    case PTX_OP_fns:
        return emit_scalar(d, in, s_fns, flags, t,
                           (enum ptx_type[]){PTX_b32, PTX_b32, PTX_b32}, 3);
    case PTX_OP_prmt:
        way = MOD_READ_ANY(d, in, PTX_MOD_f4e, PTX_MOD_b4e, PTX_MOD_rc8, PTX_MOD_ecl,
                           PTX_MOD_ecr, PTX_MOD_rc16);
        return emit_scalar(d, in, s_prmt, (uint32_t)way, t,
                           (enum ptx_type[]){PTX_b32, PTX_b32, PTX_b32}, 3);
    default:
        return -1;
    }
}
