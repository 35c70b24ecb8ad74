/*
 * The rarer arithmetic, one lane at a time: a function of up to four values and flags.
 * What becomes frequent moves to the lane tables.
 */
#include "../decode/decode.h"
#include "half.h"

#include <math.h>
#include <string.h>

/* A lane's part of a row; width 0: of a predicate. Whole, so that what is read next is
 * what was written: the processor waits where it is pieces. */
static inline uint64_t
get_value(const uint8_t *row, uint32_t width, unsigned lane)
{
    switch (width) {
    case 0:
        return *(const uint32_t *)(const void *)row >> lane & 1;
    case 2:
        return ((const uint16_t *)(const void *)row)[lane];
    case 4:
        return ((const uint32_t *)(const void *)row)[lane];
    default:
        return ((const uint64_t *)(const void *)row)[lane];
    }
}

static inline void
put_value(uint8_t *row, uint32_t width, unsigned lane, uint64_t v)
{
    uint32_t *bits = (uint32_t *)(void *)row;

    switch (width) {
    case 0:
        *bits = (*bits & ~(1u << lane)) | (uint32_t)(v & 1) << lane;
        break;
    case 2:
        ((uint16_t *)(void *)row)[lane] = (uint16_t)v;
        break;
    case 4:
        ((uint32_t *)(void *)row)[lane] = (uint32_t)v;
        break;
    default:
        ((uint64_t *)(void *)row)[lane] = v;
        break;
    }
}

/* extra: rows[0] result, rows[1...count] operands, widths (0: predicate), imm = flags. */
const struct insn *
op_scalar(struct warp *w, const struct insn *in)
{
    const struct extra *e = in->extra;
    uint32_t flags = (uint32_t)e->imm;

    for (uint32_t m = w->mask; m != 0; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctz(m);
        uint64_t v[6] = {0};

        for (uint32_t i = 0; i < e->count; i++)
            v[i] = get_value(w->regs + e->rows[i + 1], e->widths[i + 1], lane);
        put_value(w->regs + e->rows[0], e->widths[0], lane, e->scalar(v, flags));
    }
    return in + 1;
}

/* Where the lane tables have the operation, in the form without modifiers or with .rn, it
 * is done for whole rows. */
static bool
emit_rows(struct decoder *d, const struct ptx_insn *in, const struct extra *e)
{
    struct lane_key key = {in->op, (enum ptx_type)in->types[0], PTX_TYPE_NONE, LANE_ROWS};
    struct insn out = {.d = e->rows[0], .a = e->rows[1]};

    if (in->mod_count > 1 || (in->mod_count == 1 && in->mods[0] != PTX_MOD_rn) ||
        in->type_count != 1 || e->count > 3)
        return false;
    out.fn = lane_find(d->machine, key);
    if (out.fn == NULL)
        return false;
    out.b = e->count > 1 ? e->rows[2] : 0;
    out.c = e->count > 2 ? e->rows[3] : 0;
    *emit(d, out.fn) = out;
    return true;
}

/* Operands 1... of the instruction have these types; the result is operand 0. */
int
emit_scalar(struct decoder *d, const struct ptx_insn *in,
            uint64_t (*fn)(const uint64_t *, uint32_t), uint32_t flags,
            enum ptx_type result, const enum ptx_type *types, uint32_t count)
{
    struct extra *e;
    bool negated = false;

    if (in->operand_count < count + 1 || count > 6)
        return -1;
    e = kernel_alloc(d, sizeof *e);
    if (e == NULL)
        return -1;
    e->scalar = fn;
    e->imm = flags;
    e->count = count;
    e->widths[0] = (uint8_t)(result == PTX_pred ? 0 : register_bytes(result));
    e->rows[0] = destination(d, &in->operands[0], e->widths[0]);
    if (e->rows[0] == UINT32_MAX)
        return -1;
    for (uint32_t i = 0; i < count; i++) {
        const struct ptx_operand *o = &in->operands[i + 1];

        e->widths[i + 1] = (uint8_t)(types[i] == PTX_pred ? 0 : register_bytes(types[i]));
        e->rows[i + 1] =
            types[i] == PTX_pred ? predicate(d, o, &negated) : source(d, o, types[i]);
        if (e->rows[i + 1] == UINT32_MAX || negated)
            return -1;
    }
    if (!emit_rows(d, in, e))
        emit(d, op_scalar)->extra = e;
    return 0;
}

/* --- bits (9.7.1.12 to .22, 9.7.8) --------------------------------------- */

static int64_t
sign_extend(uint64_t x, unsigned bits)
{
    return bits >= 64 ? (int64_t)x : (int64_t)(x << (64 - bits)) >> (64 - bits);
}

/* Flags of these: the width in bits, SIGNED. */
enum {
    WIDTH = 0x7f,
    SIGNED = 0x80,
    SHIFTAMT = 0x100,
    WRAP = 0x200,
    RIGHT = 0x400,
    HIGH = 0x800,
    SATURATE = 0x1000
};

/* Position and length: their lowest 8 bits count, says the ISA; an H200 does so for 32
 * bits only. */
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

/* 9.7.9.7 prmt; flags: mode (0 generic, else enum ptx_mod). */
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

/* --- integers (9.7.1) ---------------------------------------------------- */

static uint64_t
s_sad(const uint64_t *v, uint32_t flags)
{
    unsigned bits = flags & WIDTH;

    if (flags & SIGNED) {
        int64_t a = sign_extend(v[0], bits), b = sign_extend(v[1], bits);

        return v[2] + (a < b ? (uint64_t)b - (uint64_t)a : (uint64_t)a - (uint64_t)b);
    }
    return v[2] + (v[0] < v[1] ? v[1] - v[0] : v[0] - v[1]);
}

static uint64_t
clamp_s32(int64_t x)
{
    return (uint64_t)(x > INT32_MAX ? INT32_MAX : x < INT32_MIN ? INT32_MIN : x);
}

/* mul24, mad24: v[2] is 0 for mul24. */
static uint64_t
s_mul24(const uint64_t *v, uint32_t flags)
{
    uint64_t product;

    if (flags & SIGNED)
        product = (uint64_t)(sign_extend(v[0], 24) * sign_extend(v[1], 24));
    else
        product = (v[0] & 0xffffff) * (v[1] & 0xffffff);
    if (flags & SATURATE)
        return clamp_s32((int64_t)(int32_t)(product >> 16) + (int32_t)v[2]);
    return ((flags & HIGH) ? product >> 16 : product) + v[2];
}

static uint64_t
s_add_sat(const uint64_t *v, uint32_t flags)
{
    int64_t a = (int32_t)v[0], b = (int32_t)v[1];

    return clamp_s32((flags & 1) ? a - b : a + b);
}

static uint64_t
s_mad_hi_sat(const uint64_t *v, uint32_t flags)
{
    (void)flags;
    return clamp_s32(((int64_t)(int32_t)v[0] * (int32_t)v[1] >> 32) + (int32_t)v[2]);
}

/* dp4a and dp2a (9.7.1.23, .24): flags bit 0: a signed, 1: b signed, 2: dp2a, 3: dp2a.hi
 */
static uint64_t
s_dp(const uint64_t *v, uint32_t flags)
{
    uint32_t sum = (uint32_t)v[2];
    unsigned n = (flags & 4) ? 2 : 4, abits = (flags & 4) ? 16 : 8;

    for (unsigned i = 0; i < n; i++) {
        uint64_t a = v[0] >> (abits * i) & ((1u << abits) - 1);
        uint64_t b = v[1] >> (8 * (i + ((flags & 8) ? 2 : 0))) & 0xff;
        int64_t x = (flags & 1) ? sign_extend(a, abits) : (int64_t)a;
        int64_t y = (flags & 2) ? sign_extend(b, 8) : (int64_t)b;

        sum += (uint32_t)(x * y);
    }
    return sum;
}

/* min, max of s32 or of two halves (flags: the width), .relu: not below 0 (RIGHT). */
static uint64_t
s_minmax(const uint64_t *v, uint32_t flags)
{
    unsigned bits = flags & WIDTH;
    uint64_t r = 0, top = ((uint64_t)1 << bits) - 1;

    for (unsigned i = 0; i < 32; i += bits) {
        uint64_t ua = v[0] >> i & top, ub = v[1] >> i & top;
        int64_t a = (flags & SIGNED) ? sign_extend(ua, bits) : (int64_t)ua;
        int64_t b = (flags & SIGNED) ? sign_extend(ub, bits) : (int64_t)ub;
        int64_t x = ((flags & HIGH) ? a > b : a < b) ? a : b;

        if ((flags & RIGHT) && x < 0)
            x = 0;
        r |= ((uint64_t)x & top) << i;
    }
    return r;
}

/* add.u16x2 and the like */
static uint64_t
s_add_x2(const uint64_t *v, uint32_t flags)
{
    (void)flags;
    return ((v[0] + v[1]) & 0xffff) | (((v[0] >> 16) + (v[1] >> 16)) & 0xffff) << 16;
}

/* --- comparing (9.7.6) --------------------------------------------------- */

static bool
compare_doubles(double a, double b, enum compare c)
{
    bool unordered = isnan(a) || isnan(b);

    switch (c) {
    case CMP_EQ:
        return a == b;
    case CMP_NE:
        return !unordered && a != b;
    case CMP_LT:
        return a < b;
    case CMP_LE:
        return a <= b;
    case CMP_GT:
        return a > b;
    case CMP_GE:
        return a >= b;
    case CMP_EQU:
        return unordered || a == b;
    case CMP_NEU:
        return a != b;
    case CMP_LTU:
        return !(a >= b);
    case CMP_LEU:
        return !(a > b);
    case CMP_GTU:
        return !(a <= b);
    case CMP_GEU:
        return !(a < b);
    case CMP_NUM:
        return !unordered;
    case CMP_NAN:
        return unordered;
    }
    return false;
}

static bool
compare_ints(uint64_t x, uint64_t y, enum ptx_type t, enum compare c)
{
    unsigned bits = ptx_type_bytes(t) * 8;
    bool is_signed = ptx_type_class(t) == PTX_CLASS_SINT, less;

    if (is_signed)
        less = sign_extend(x, bits) < sign_extend(y, bits);
    else
        less = x < y;
    switch (c) {
    case CMP_EQ:
        return x == y;
    case CMP_NE:
        return x != y;
    case CMP_LT:
        return less;
    case CMP_LE:
        return less || x == y;
    case CMP_GT:
        return !less && x != y;
    case CMP_GE:
        return !less;
    default:
        return false;
    }
}

/* Flags: 0-7 operand type, 8-11 comparison, 12-15 combination (0 none, 1 and, 2 or, 3
 * xor), 16: FTZ, 17-23 result type (set; 0: predicate), 24: compare the upper halves.
 * v[2]: c */
enum {
    SET_FTZ = 1 << 16,
    SET_UPPER = 1 << 24,
    SET_NOT_C = 1 << 25,
    SET_INVERT = 1 << 26
};

static bool
compare_values(uint64_t x, uint64_t y, uint32_t flags, enum ptx_type t)
{
    enum compare c = (enum compare)(flags >> 8 & 0xf);
    double a, b;

    if (ptx_type_class(t) != PTX_CLASS_FLOAT)
        return compare_ints(x, y, t, c);
    a = value_of(x, t);
    b = value_of(y, t);
    if ((flags & SET_FTZ) && (t == PTX_f32 || t == PTX_f16)) {
        double least = t == PTX_f32 ? 0x1p-126 : 0x1p-14;

        a = fabs(a) < least ? 0 : a;
        b = fabs(b) < least ? 0 : b;
    }
    return compare_doubles(a, b, c);
}

static bool
combine(bool r, bool c, uint32_t flags)
{
    if (flags & SET_INVERT)
        r = !r;
    if (flags & SET_NOT_C)
        c = !c;
    switch (flags >> 12 & 3) {
    case 1:
        return r && c;
    case 2:
        return r || c;
    case 3:
        return r != c;
    default:
        return r;
    }
}

static uint64_t
s_set(const uint64_t *v, uint32_t flags)
{
    enum ptx_type t = (enum ptx_type)(flags & 0xff);
    enum ptx_type result = (enum ptx_type)(flags >> 17 & 0x7f);
    uint64_t r = 0;

    if (t == PTX_f16x2 || t == PTX_bf16x2) {
        enum ptx_type half = t == PTX_f16x2 ? PTX_f16 : PTX_bf16;
        unsigned first = (flags & SET_UPPER) ? 1 : 0, last = result == 0 ? first : 1;

        for (unsigned i = first; i <= last; i++) {
            bool yes = combine(compare_values(v[0] >> (16 * i) & 0xffff,
                                              v[1] >> (16 * i) & 0xffff, flags, half),
                               v[2] != 0, flags);

            if (result == 0)
                return yes;
            if (yes)
                r |= (uint64_t)(result == PTX_f16x2    ? 0x3c00
                                : result == PTX_bf16x2 ? 0x3f80
                                                       : 0xffff)
                     << (16 * i);
        }
        return r;
    }
    if (!combine(compare_values(v[0], v[1], flags, t), v[2] != 0, flags))
        return 0;
    switch (result) {
    case PTX_f32:
        return 0x3f800000;
    case PTX_f16:
        return 0x3c00;
    case PTX_bf16:
        return 0x3f80;
    case PTX_TYPE_NONE:
        return 1;
    default:
        return UINT64_MAX;
    }
}

/* slct: by the sign of c, an s32 or an f32 (flags 1, 2: .ftz) */
static uint64_t
s_slct(const uint64_t *v, uint32_t flags)
{
    if ((flags & 2) && (v[2] & 0x7f800000) == 0)
        return v[0];
    if (flags & 1)
        return value_of(v[2], PTX_f32) >= 0 ? v[0] : v[1];
    return (int32_t)v[2] >= 0 ? v[0] : v[1];
}

static uint64_t
s_testp(const uint64_t *v, uint32_t flags)
{
    enum ptx_type t = (flags & 0x10000) ? PTX_f64 : PTX_f32;
    double x = value_of(v[0], t);
    double least = t == PTX_f64 ? 0x1p-1022 : 0x1p-126;

    switch (flags & 0xffff) {
    case PTX_MOD_finite:
        return isfinite(x) != 0;
    case PTX_MOD_infinite:
        return isinf(x) != 0;
    case PTX_MOD_number:
        return (uint64_t)!isnan(x);
    case PTX_MOD_notanumber:
        return (uint64_t)(isnan(x) != 0);
    case PTX_MOD_normal:
        return isfinite(x) && (x == 0 || fabs(x) >= least); /* 9.7.3.1: so is zero */
    default:
        return x != 0 && fabs(x) < least;
    }
}

/* --- decoding ---------------------------------------------------------- */

static int
decode_set(struct decoder *d, const struct ptx_insn *in)
{
    bool is_setp = in->op == PTX_OP_setp;
    enum ptx_type result = is_setp ? PTX_TYPE_NONE : (enum ptx_type)in->types[0];
    enum ptx_type t = (enum ptx_type)in->types[is_setp ? 0 : 1], operand = t;
    int compare = compare_of(in);
    uint32_t flags, count = in->operand_count - 1u;
    struct ptx_insn upper = *in;
    struct ptx_operand operands[PTX_MAX_OPERANDS];

    if (in->type_count != (is_setp ? 1 : 2) || compare < 0 || count < 2 || count > 3)
        return -1;
    if (t == PTX_f16x2 || t == PTX_bf16x2)
        operand = PTX_b32;
    flags = (uint32_t)t | (uint32_t)compare << 8 | (uint32_t)result << 17;
    flags |= ptx_has_mod(in, PTX_MOD_ftz) ? SET_FTZ : 0;
    memcpy(operands, in->operands, in->operand_count * sizeof *operands);
    upper.operands = operands;
    if (count == 3) {
        flags |= (ptx_has_mod(in, PTX_MOD_or_)    ? 2u
                  : ptx_has_mod(in, PTX_MOD_xor_) ? 3u
                                                  : 1u)
                 << 12;
        flags |= operands[3].negated ? SET_NOT_C : 0;
        operands[3].negated = false;
    }
    if (result == PTX_u16x2 || result == PTX_s16x2)
        result = PTX_b32;
    if (emit_scalar(d, &upper, s_set, flags, is_setp ? PTX_pred : result,
                    (enum ptx_type[]){operand, operand, PTX_pred}, count) != 0)
        return -1;
    if (!is_setp || in->operands[0].second == NULL)
        return 0;
    /* p|q: of packed halves q is the upper one's, otherwise the opposite comparison's. */
    operands[0] = *in->operands[0].second;
    flags |= operand != t ? SET_UPPER : SET_INVERT;
    return emit_scalar(d, &upper, s_set, flags, PTX_pred,
                       (enum ptx_type[]){operand, operand, PTX_pred}, count);
}

static int
decode_bits(struct decoder *d, const struct ptx_insn *in)
{
    enum ptx_type t = (enum ptx_type)in->types[0];
    uint32_t bits = ptx_type_bytes(t) * 8;
    uint32_t flags = bits | (ptx_type_class(t) == PTX_CLASS_SINT ? SIGNED : 0);

    flags |= ptx_has_mod(in, PTX_MOD_wrap) ? WRAP : 0;
    if (bits != 32 && bits != 64)
        return -1;
    switch (in->op) {
    case PTX_OP_bfe:
        return emit_scalar(d, in, s_bfe, flags, t, (enum ptx_type[]){t, PTX_u32, PTX_u32},
                           3);
    case PTX_OP_bfi:
        return emit_scalar(d, in, s_bfi, flags, t,
                           (enum ptx_type[]){t, t, PTX_u32, PTX_u32}, 4);
    case PTX_OP_bfind:
        flags |= ptx_has_mod(in, PTX_MOD_shiftamt) ? SHIFTAMT : 0;
        return emit_scalar(d, in, s_bfind, flags, PTX_u32, &t, 1);
    case PTX_OP_brev:
        return emit_scalar(d, in, s_brev, flags, t, &t, 1);
    case PTX_OP_clz:
        return emit_scalar(d, in, s_clz, flags, PTX_u32, &t, 1);
    case PTX_OP_popc:
        return emit_scalar(d, in, s_popc, flags, PTX_u32, &t, 1);
    case PTX_OP_shf:
        flags |= ptx_has_mod(in, PTX_MOD_r) ? RIGHT : 0;
        return emit_scalar(d, in, s_shf, flags, t, (enum ptx_type[]){t, t, PTX_u32}, 3);
    case PTX_OP_bmsk:
        return emit_scalar(d, in, s_bmsk, flags, t, (enum ptx_type[]){PTX_u32, PTX_u32},
                           2);
    case PTX_OP_szext:
        return emit_scalar(d, in, s_szext, flags, t, (enum ptx_type[]){t, PTX_u32}, 2);
    case PTX_OP_fns:
        return emit_scalar(d, in, s_fns, flags, t,
                           (enum ptx_type[]){PTX_b32, PTX_u32, PTX_u32}, 3);
    case PTX_OP_prmt:
        return emit_scalar(d, in, s_prmt, in->mod_count != 0 ? in->mods[0] : 0, t,
                           (enum ptx_type[]){PTX_b32, PTX_b32, PTX_b32}, 3);
    default:
        return -1;
    }
}

static int
decode_integers(struct decoder *d, const struct ptx_insn *in)
{
    enum ptx_type t = (enum ptx_type)in->types[0];
    bool is_signed = ptx_type_class(t) == PTX_CLASS_SINT,
         sat = ptx_has_mod(in, PTX_MOD_sat);
    uint32_t flags = ptx_type_bytes(t) * 8 | (is_signed ? SIGNED : 0);
    const enum ptx_type three[] = {t, t, t};

    flags |= ptx_has_mod(in, PTX_MOD_hi) ? HIGH : 0;
    switch (in->op) {
    case PTX_OP_sad:
        return emit_scalar(d, in, s_sad, flags, t, three, 3);
    case PTX_OP_mul24:
        return emit_scalar(d, in, s_mul24, flags, t, three, 2);
    case PTX_OP_mad24:
        if (sat && !(is_signed && (flags & HIGH)))
            return -1;
        return emit_scalar(d, in, s_mul24, flags | (sat ? SATURATE : 0), t, three, 3);
    case PTX_OP_add:
    case PTX_OP_sub:
        if (t == PTX_u16x2 || t == PTX_s16x2)
            return in->op == PTX_OP_add ? emit_scalar(d, in, s_add_x2, 0, t, three, 2)
                                        : -1;
        return sat && t == PTX_s32
                   ? emit_scalar(d, in, s_add_sat, in->op == PTX_OP_sub, t, three, 2)
                   : -1;
    case PTX_OP_mad:
        return sat && t == PTX_s32 && (flags & HIGH)
                   ? emit_scalar(d, in, s_mad_hi_sat, 0, t, three, 3)
                   : -1;
    case PTX_OP_min:
    case PTX_OP_max:
        if (t != PTX_s16x2 && t != PTX_u16x2 && t != PTX_s32)
            return -1;
        flags = (t != PTX_u16x2 ? SIGNED : 0) | (in->op == PTX_OP_max ? HIGH : 0) |
                (t == PTX_s32 ? 32 : 16);
        if (in->mod_count > 1 || (in->mod_count == 1 && in->mods[0] != PTX_MOD_relu) ||
            (in->mod_count == 1 && t == PTX_u16x2))
            return -1;
        return emit_scalar(d, in, s_minmax, flags | (in->mod_count != 0 ? RIGHT : 0), t,
                           three, 2);
    case PTX_OP_dp4a:
    case PTX_OP_dp2a:
        flags = (is_signed ? 1 : 0) |
                (ptx_type_class((enum ptx_type)in->types[1]) == PTX_CLASS_SINT ? 2 : 0) |
                (in->op == PTX_OP_dp2a ? 4 : 0) | (ptx_has_mod(in, PTX_MOD_hi) ? 8 : 0);
        return emit_scalar(d, in, s_dp, flags, PTX_b32,
                           (enum ptx_type[]){PTX_b32, PTX_b32, PTX_b32}, 3);
    default:
        return -1;
    }
}

static int
decode_other(struct decoder *d, const struct ptx_insn *in)
{
    enum ptx_type t = (enum ptx_type)in->types[0];

    switch (in->op) {
    case PTX_OP_setp:
    case PTX_OP_set:
        return decode_set(d, in);
    case PTX_OP_slct:
        return emit_scalar(d, in, s_slct,
                           (in->types[1] == PTX_f32 ? 1u : 0) |
                               (ptx_has_mod(in, PTX_MOD_ftz) ? 2u : 0),
                           t, (enum ptx_type[]){t, t, (enum ptx_type)in->types[1]}, 3);
    case PTX_OP_testp:
        return emit_scalar(d, in, s_testp,
                           (in->mod_count != 0 ? in->mods[0] : 0u) |
                               (t == PTX_f64 ? 0x10000u : 0),
                           PTX_pred, &t, 1);
    default:
        return -1;
    }
}

int
decode_scalar(struct decoder *d, const struct ptx_insn *in)
{
    if (in->type_count == 0)
        return -1;
    if (ptx_has_mod(in, PTX_MOD_cc) || in->op == PTX_OP_addc || in->op == PTX_OP_subc ||
        in->op == PTX_OP_madc)
        return decode_carry(d, in);
    if (decode_scalar_float(d, in) == 0 || decode_single(d, in) == 0)
        return 0;
    count_work(d, WORK_INT, 1);
    if (decode_bits(d, in) == 0 || decode_integers(d, in) == 0)
        return 0;
    return decode_other(d, in);
}
