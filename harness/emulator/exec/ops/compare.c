/* setp, set, slct and testp (PTX ISA 9.7.6, 9.7.3.1). */
#include "../decode/families.h"
#include "../decode/opcode.h"
#include "scalar.h"

#include <math.h>
#include <pmmintrin.h>
#include <string.h>

static const struct {
    uint8_t mod, compare;
} comparisons[] = {
    {PTX_MOD_eq, CMP_EQ},   {PTX_MOD_ne, CMP_NE},   {PTX_MOD_lt, CMP_LT},
    {PTX_MOD_le, CMP_LE},   {PTX_MOD_gt, CMP_GT},   {PTX_MOD_ge, CMP_GE},
    {PTX_MOD_lo, CMP_LT},   {PTX_MOD_ls, CMP_LE},   {PTX_MOD_hi, CMP_GT},
    {PTX_MOD_hs, CMP_GE},   {PTX_MOD_equ, CMP_EQU}, {PTX_MOD_neu, CMP_NEU},
    {PTX_MOD_ltu, CMP_LTU}, {PTX_MOD_leu, CMP_LEU}, {PTX_MOD_gtu, CMP_GTU},
    {PTX_MOD_geu, CMP_GEU}, {PTX_MOD_num, CMP_NUM}, {PTX_MOD_unordered, CMP_NAN},
};

/* Can values of the type be compared so? (9.3) */
static bool
compare_fits(enum ptx_mod mod, enum compare compare, enum ptx_type type)
{
    bool of_unsigned =
        mod == PTX_MOD_lo || mod == PTX_MOD_ls || mod == PTX_MOD_hi || mod == PTX_MOD_hs;

    switch (ptx_type_class(type)) {
    case PTX_CLASS_BITS:
        return compare == CMP_EQ || compare == CMP_NE;
    case PTX_CLASS_UINT:
        return compare <= CMP_GE;
    case PTX_CLASS_SINT:
        return compare <= CMP_GE && !of_unsigned;
    case PTX_CLASS_FLOAT:
    case PTX_CLASS_PACKED:
        return !of_unsigned;
    default:
        return false;
    }
}

/* Has setp the type? (9.7.6.2, 9.7.7.2) */
static bool
is_compared(enum ptx_type type)
{
    return is_number(type) || type == PTX_f16 || type == PTX_bf16 || type == PTX_f16x2 ||
           type == PTX_bf16x2;
}

int
compare_of(struct decoder *d, const struct ptx_insn *in, enum ptx_type type)
{
    for (unsigned i = 0; i < in->mod_count; i++) {
        for (size_t k = 0; k < sizeof comparisons / sizeof *comparisons; k++) {
            if (comparisons[k].mod != in->mods[i])
                continue;
            mod_read_at(d, i);
            return compare_fits((enum ptx_mod)in->mods[i],
                                (enum compare)comparisons[k].compare, type)
                       ? comparisons[k].compare
                       : -1;
        }
    }
    return -1;
}

/* setp.ftz. The flush to zero is fixed here, because setp uses x and y itself. */
static const struct insn *
op_compare_flushing(struct warp *w, const struct insn *in)
{
    unsigned saved = _mm_getcsr();
    const struct insn *next;

    _mm_setcsr(saved | _MM_DENORMALS_ZERO_ON);
    __asm__ volatile("" ::: "memory");
    next = in->inner(w, in);
    __asm__ volatile("" ::: "memory");
    _mm_setcsr(saved);
    return next;
}

/* --- a lane at a time ------------------------------------------------------ */

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

/* Flags of s_set. Bits 0 to 7 are the type of the operands. */
enum {
    SET_COMPARE = 8,  /* bits 8 to 11: enum compare */
    SET_COMBINE = 12, /* bits 12 and 13: SET_AND, ...: with v[2] */
    SET_FTZ = 1 << 16,
    SET_RESULT = 17,      /* bits 17 to 23: type of the result; 0: a predicate */
    SET_UPPER = 1 << 24,  /* compares the upper halves */
    SET_NOT_C = 1 << 25,  /* v[2] is negated */
    SET_INVERT = 1 << 26, /* the comparison is negated */
};
enum { SET_ALONE, SET_AND, SET_OR, SET_XOR };

static bool
compare_values(uint64_t x, uint64_t y, uint32_t flags, enum ptx_type t)
{
    enum compare c = (enum compare)(flags >> SET_COMPARE & 0xf);
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
    switch (flags >> SET_COMBINE & 3) {
    case SET_AND:
        return r && c;
    case SET_OR:
        return r || c;
    case SET_XOR:
        return r != c;
    default:
        return r;
    }
}

static uint64_t
s_set(const uint64_t *v, uint32_t flags)
{
    enum ptx_type t = (enum ptx_type)(flags & 0xff);
    enum ptx_type result = (enum ptx_type)(flags >> SET_RESULT & 0x7f);
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

/* Flags of s_slct: c is an f32, and .ftz. */
enum { SLCT_FLOAT = 1, SLCT_FTZ = 2 };

/* slct: a or b by the sign of c, an s32 or an f32. */
static uint64_t
s_slct(const uint64_t *v, uint32_t flags)
{
    if ((flags & SLCT_FTZ) && (v[2] & 0x7f800000) == 0)
        return v[0];
    if (flags & SLCT_FLOAT)
        return value_of(v[2], PTX_f32) >= 0 ? v[0] : v[1];
    return (int32_t)v[2] >= 0 ? v[0] : v[1];
}

/* Flags of s_testp. Bits 0 to 15 are the property. */
enum { TESTP_F64 = 1 << 16 };

static uint64_t
s_testp(const uint64_t *v, uint32_t flags)
{
    enum ptx_type t = (flags & TESTP_F64) ? PTX_f64 : PTX_f32;
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

/* --- decoding ------------------------------------------------------------ */

/* Decodes setp on whole lane vectors. */
static int
decode_setp(struct decoder *d, const struct ptx_insn *in)
{
    enum ptx_type type = type_read(d, in, 0);
    const struct ptx_operand *o = in->operands;
    struct insn out = {.c = UINT32_MAX, .x = UINT32_MAX};
    int compare = compare_of(d, in, type);
    bool negated = false, ftz = type == PTX_f32 && mod_read(d, in, PTX_MOD_ftz);
    enum ptx_mod combine;
    uint32_t q;

    if (in->type_count != 1 || compare < 0 || !is_compared(type))
        return -1;
    out.fn = lane_handler(
        d, (struct lane_key){PTX_OP_setp, type, PTX_TYPE_NONE, (uint32_t)compare});
    if (out.fn == NULL)
        return -1;
    out.d = destination(d, &o[0], 0);
    out.a = source(d, &o[1], type);
    out.b = source(d, &o[2], type);
    if (o[0].second != NULL) {
        q = destination(d, o[0].second, 0);
        if (q == UINT32_MAX)
            return -1;
        out.x = q;
    }
    if (in->operand_count == 4) {
        out.c = predicate(d, &o[3], &negated);
        if (out.c == UINT32_MAX)
            return -1;
        combine = MOD_READ_ANY(d, in, PTX_MOD_and_, PTX_MOD_or_, PTX_MOD_xor_);
        if (combine == PTX_MOD_UNKNOWN)
            return -1;
        out.y = combine == PTX_MOD_or_    ? COMBINE_OR
                : combine == PTX_MOD_xor_ ? COMBINE_XOR
                                          : COMBINE_AND;
        out.y |= negated ? COMBINE_NOT_C : 0u;
    }
    if (out.d == UINT32_MAX || out.a == UINT32_MAX || out.b == UINT32_MAX)
        return -1;
    if (ftz) {
        out.inner = out.fn;
        out.fn = op_compare_flushing;
    }
    count_unit(d, in);
    *emit(d, out.fn) = out;
    return 0;
}

/* Is it a result that set gives for operands of the type? (9.7.6.1, 9.7.7.1) */
static bool
set_fits(enum ptx_type result, enum ptx_type type)
{
    bool is_word = result == PTX_u32 || result == PTX_s32;
    bool is_half = result == PTX_u16 || result == PTX_s16;

    switch (type) {
    case PTX_f16x2:
    case PTX_bf16x2:
        return is_word || result == type;
    case PTX_f16:
        return is_word || is_half || result == PTX_f16 || result == PTX_bf16;
    case PTX_bf16:
        return is_word || is_half || result == PTX_bf16;
    default:
        return is_number(type) &&
               (is_word || result == PTX_f32 || result == PTX_f16 || result == PTX_bf16);
    }
}

static int
decode_set(struct decoder *d, const struct ptx_insn *in)
{
    bool is_setp = in->op == PTX_OP_setp;
    enum ptx_type result = is_setp ? PTX_TYPE_NONE : type_read(d, in, 0);
    enum ptx_type t = type_read(d, in, is_setp ? 0 : 1), operand = t;
    int compare = compare_of(d, in, t);
    bool flushes = (t == PTX_f32 || t == PTX_f16 || t == PTX_f16x2) && result != PTX_bf16;
    enum ptx_mod combine;
    uint32_t flags, count = in->operand_count - 1u;
    struct ptx_insn upper = *in;
    struct ptx_operand operands[PTX_MAX_OPERANDS];

    if (in->type_count != (is_setp ? 1 : 2) || compare < 0 || count < 2 || count > 3 ||
        !(is_setp ? is_compared(t) : set_fits(result, t)))
        return -1;
    if (t == PTX_f16x2 || t == PTX_bf16x2)
        operand = PTX_b32;
    flags =
        (uint32_t)t | (uint32_t)compare << SET_COMPARE | (uint32_t)result << SET_RESULT;
    flags |= flushes && mod_read(d, in, PTX_MOD_ftz) ? SET_FTZ : 0;
    memcpy(operands, in->operands, in->operand_count * sizeof *operands);
    upper.operands = operands;
    if (count == 3) {
        combine = MOD_READ_ANY(d, in, PTX_MOD_and_, PTX_MOD_or_, PTX_MOD_xor_);
        if (combine == PTX_MOD_UNKNOWN)
            return -1;
        flags |= (combine == PTX_MOD_or_    ? (uint32_t)SET_OR
                  : combine == PTX_MOD_xor_ ? (uint32_t)SET_XOR
                                            : (uint32_t)SET_AND)
                 << SET_COMBINE;
        operand_read(d, &operands[3], OPERAND_NEGATED);
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
    if (t == PTX_f16 || t == PTX_bf16) /* 9.7.7.2: only pairs have p|q; ptxas takes p|_ */
        return in->operands[0].second->kind == PTX_OPERAND_SINK ? 0 : -1;
    /* p|q: q is the result of the upper half for packed halves, otherwise of the opposite
     * comparison. */
    operands[0] = *in->operands[0].second;
    flags |= operand != t ? SET_UPPER : SET_INVERT;
    return emit_scalar(d, &upper, s_set, flags, PTX_pred,
                       (enum ptx_type[]){operand, operand, PTX_pred}, count);
}

static int
decode_slct(struct decoder *d, const struct ptx_insn *in, enum ptx_type t)
{
    enum ptx_type chooser = type_read(d, in, 1);
    uint32_t flags = chooser == PTX_f32 ? SLCT_FLOAT : 0;

    if (!is_number(t) || (chooser != PTX_f32 && chooser != PTX_s32))
        return -1;
    if (chooser == PTX_f32 && mod_read(d, in, PTX_MOD_ftz))
        flags |= SLCT_FTZ;
    return emit_scalar(d, in, s_slct, flags, t, (enum ptx_type[]){t, t, chooser}, 3);
}

static int
decode_testp(struct decoder *d, const struct ptx_insn *in, enum ptx_type t)
{
    enum ptx_mod property =
        MOD_READ_ANY(d, in, PTX_MOD_finite, PTX_MOD_infinite, PTX_MOD_number,
                     PTX_MOD_notanumber, PTX_MOD_normal, PTX_MOD_subnormal);

    if (property == PTX_MOD_UNKNOWN || (t != PTX_f32 && t != PTX_f64))
        return -1;
    return emit_scalar(d, in, s_testp,
                       (uint32_t)property | (t == PTX_f64 ? TESTP_F64 : 0u), PTX_pred, &t,
                       1);
}

int
decode_compare(struct decoder *d, const struct ptx_insn *in)
{
    enum ptx_type t = type_read(d, in, 0);

    if (in->op == PTX_OP_setp && decode_setp(d, in) == 0)
        return 0;
    reading_begin(d, in);
    (void)type_read(d, in, 0);
    count_unit(d, in);
    switch (in->op) {
    case PTX_OP_setp:
    case PTX_OP_set:
        return decode_set(d, in);
    case PTX_OP_slct:
        return decode_slct(d, in, t);
    case PTX_OP_testp:
        return decode_testp(d, in, t);
    default:
        return -1;
    }
}
