/*
 * Video instructions (PTX ISA 9.7.19): arithmetic on bytes and halves that selectors of
 * the operands pick, with saturation and a second operation. Scalar instructions work on
 * one part of each operand, the others on two halves or four bytes at once.
 *
 * Everything is computed in 64 bits, which hold every intermediate result exactly.
 */
#include "../decode/emit.h"
#include "../decode/families.h"
#include "../warp.h"

#include <string.h>

enum second_op { SECOND_NONE, SECOND_ADD, SECOND_MIN, SECOND_MAX };

struct video {
    struct extra extra; /* lane vectors: d, a, b, c */
    enum ptx_op op;     /* the scalar instruction, also for a SIMD one; UNKNOWN: vavrg */
    unsigned lanes;     /* 1, 2 or 4 */
    bool a_signed, b_signed, d_signed, saturates, wraps;
    enum second_op second;
    enum compare compare;
    /* Scalar: first bit and width of the part. SIMD: which of the 2 * lanes elements. */
    uint8_t a_bit, a_bits, b_bit, b_bits, d_bit, d_bits;
    uint8_t a_pick[4], b_pick[4];
    uint8_t mask; /* SIMD: the lanes that are written */
    /* vmad */
    uint8_t shift;
    bool product_negated, c_negated, plus_one;
};

static const struct video *
video_of(const struct insn *in)
{
    return (const struct video *)(const void *)in->extra;
}

/* --- one operation ------------------------------------------------------- */

static int64_t
extract(uint64_t x, unsigned bit, unsigned bits, bool is_signed)
{
    x = x >> bit & (((uint64_t)1 << bits) - 1);
    if (is_signed && (x >> (bits - 1) & 1) != 0)
        x |= ~(uint64_t)0 << bits;
    return (int64_t)x;
}

static int64_t
saturate(int64_t x, unsigned bits, bool is_signed)
{
    int64_t top = ((int64_t)1 << (is_signed ? bits - 1 : bits)) - 1;
    int64_t bottom = is_signed ? -top - 1 : 0;

    return x > top ? top : x < bottom ? bottom : x;
}

static bool
compares(enum compare c, int64_t a, int64_t b)
{
    switch (c) {
    case CMP_EQ:
        return a == b;
    case CMP_NE:
        return a != b;
    case CMP_LT:
        return a < b;
    case CMP_LE:
        return a <= b;
    case CMP_GT:
        return a > b;
    default:
        return a >= b;
    }
}

static int64_t
shift_count(const struct video *v, int64_t b)
{
    uint64_t n = (uint64_t)b;

    return (int64_t)(v->wraps ? n & 31 : n > 32 ? 32 : n);
}

static int64_t
operate(const struct video *v, int64_t a, int64_t b)
{
    switch (v->op) {
    case PTX_OP_vadd:
        return a + b;
    case PTX_OP_vsub:
        return a - b;
    case PTX_OP_vabsdiff:
        return a < b ? b - a : a - b;
    case PTX_OP_vmin:
        return a < b ? a : b;
    case PTX_OP_vmax:
        return a > b ? a : b;
    case PTX_OP_vset:
        return compares(v->compare, a, b);
    case PTX_OP_vshl:
        return (int64_t)((uint64_t)a << shift_count(v, b));
    case PTX_OP_vshr:
        return a >> shift_count(v, b);
    default: /* vavrg: half the sum, rounded away from zero */
        return (a + b + (a + b >= 0)) >> 1;
    }
}

static int64_t
second(const struct video *v, int64_t x, uint32_t c)
{
    int64_t y = v->d_signed ? (int32_t)c : (int64_t)c;

    x = v->d_signed ? (int32_t)x : (int64_t)(uint32_t)x;
    switch (v->second) {
    case SECOND_ADD:
        return x + y;
    case SECOND_MIN:
        return x < y ? x : y;
    case SECOND_MAX:
        return x > y ? x : y;
    default:
        return x;
    }
}

/* --- the three kinds ----------------------------------------------------- */

static uint32_t
scalar_video(const struct video *v, uint32_t a, uint32_t b, uint32_t c)
{
    int64_t x = operate(v, extract(a, v->a_bit, v->a_bits, v->a_signed),
                        extract(b, v->b_bit, v->b_bits, v->b_signed));

    /* An H200 does two things otherwise than the ISA says. A negative value saturates to
     * the top of an unsigned part, and an upper half is the result's upper half. */
    if (v->saturates && v->d_bits < 32 && !v->d_signed && x < 0)
        x = UINT32_MAX;
    if (v->saturates)
        x = saturate(x, v->d_bits, v->d_signed);
    else if (v->d_bit == 16 && v->d_bits == 16)
        x >>= 16;
    if (v->d_bits < 32) { /* merged into c */
        uint32_t mask = (((uint32_t)1 << v->d_bits) - 1) << v->d_bit;

        return (c & ~mask) | ((uint32_t)x << v->d_bit & mask);
    }
    return (uint32_t)second(v, x, c);
}

static uint32_t
simd_video(const struct video *v, uint32_t a, uint32_t b, uint32_t c)
{
    unsigned bits = 32 / v->lanes;
    uint64_t both = (uint64_t)b << 32 | a;
    uint32_t all = (uint32_t)(((uint64_t)1 << bits) - 1), result = c;

    for (unsigned i = 0; i < v->lanes; i++) {
        int64_t x = operate(v, extract(both, v->a_pick[i] * bits, bits, v->a_signed),
                            extract(both, v->b_pick[i] * bits, bits, v->b_signed));

        if ((v->mask >> i & 1) == 0)
            continue;
        if (v->saturates)
            x = saturate(x, bits, v->d_signed);
        if (v->second == SECOND_ADD)
            result += (uint32_t)x;
        else
            result = (result & ~(all << (i * bits))) | ((uint32_t)x & all) << (i * bits);
    }
    return result;
}

/* vmad (9.7.19.6): a negative product or c is its complement plus the lowest bit. */
static uint32_t
vmad(const struct video *v, uint32_t a, uint32_t b, uint32_t c)
{
    bool is_signed = v->a_signed || v->b_signed || v->product_negated || v->c_negated;
    __int128 x = (__int128)extract(a, v->a_bit, v->a_bits, v->a_signed) *
                 extract(b, v->b_bit, v->b_bits, v->b_signed);
    __int128 y = is_signed ? (int32_t)c : (int64_t)c;

    if (v->product_negated)
        x = -x;
    if (v->c_negated)
        y = -y;
    x = (x + y + v->plus_one) >> v->shift;
    if (v->saturates) {
        __int128 top = is_signed ? INT32_MAX : UINT32_MAX,
                 bottom = is_signed ? INT32_MIN : 0;

        x = x > top ? top : x < bottom ? bottom : x;
    }
    return (uint32_t)x;
}

static const struct insn *
op_video(struct warp *w, const struct insn *in)
{
    const struct video *v = video_of(in);
    const uint32_t *vectors = v->extra.vectors;
    uint32_t *d = (uint32_t *)(void *)(w->regs + vectors[0]);

    for (uint32_t m = w->mask; m != 0; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctz(m);
        uint32_t value[3];

        for (unsigned i = 0; i < 3; i++)
            value[i] = ((const uint32_t *)(const void *)(w->regs + vectors[i + 1]))[lane];
        d[lane] = v->op == PTX_OP_vmad ? vmad(v, value[0], value[1], value[2])
                  : v->lanes == 1      ? scalar_video(v, value[0], value[1], value[2])
                                       : simd_video(v, value[0], value[1], value[2]);
    }
    return in + 1;
}

/* --- decoding ------------------------------------------------------------ */

static const struct {
    uint8_t op, scalar, lanes;
} video_ops[] = {
    {PTX_OP_vadd, PTX_OP_vadd, 1},          {PTX_OP_vsub, PTX_OP_vsub, 1},
    {PTX_OP_vabsdiff, PTX_OP_vabsdiff, 1},  {PTX_OP_vmin, PTX_OP_vmin, 1},
    {PTX_OP_vmax, PTX_OP_vmax, 1},          {PTX_OP_vset, PTX_OP_vset, 1},
    {PTX_OP_vshl, PTX_OP_vshl, 1},          {PTX_OP_vshr, PTX_OP_vshr, 1},
    {PTX_OP_vmad, PTX_OP_vmad, 1},          {PTX_OP_vadd2, PTX_OP_vadd, 2},
    {PTX_OP_vsub2, PTX_OP_vsub, 2},         {PTX_OP_vabsdiff2, PTX_OP_vabsdiff, 2},
    {PTX_OP_vmin2, PTX_OP_vmin, 2},         {PTX_OP_vmax2, PTX_OP_vmax, 2},
    {PTX_OP_vset2, PTX_OP_vset, 2},         {PTX_OP_vavrg2, PTX_OP_UNKNOWN, 2},
    {PTX_OP_vadd4, PTX_OP_vadd, 4},         {PTX_OP_vsub4, PTX_OP_vsub, 4},
    {PTX_OP_vabsdiff4, PTX_OP_vabsdiff, 4}, {PTX_OP_vmin4, PTX_OP_vmin, 4},
    {PTX_OP_vmax4, PTX_OP_vmax, 4},         {PTX_OP_vset4, PTX_OP_vset, 4},
    {PTX_OP_vavrg4, PTX_OP_UNKNOWN, 4},
};

/* Decodes .b2 or .h1 of a scalar instruction's operand. Without a selector it is all 32
 * bits. */
static int
parse_pick(const char *selector, uint8_t *bit, uint8_t *bits)
{
    *bit = 0;
    *bits = 32;
    if (selector == NULL)
        return 0;
    *bits = selector[0] == 'b' ? 8 : 16;
    *bit = (uint8_t)((selector[1] - '0') * *bits);
    return (selector[0] == 'b' || selector[0] == 'h') && selector[1] >= '0' &&
                   selector[2] == '\0' && *bit < 32
               ? 0
               : -1;
}

/* Decodes .b7654 or .h10, where the element for the highest lane comes first. */
static int
parse_picks(const char *selector, unsigned lanes, uint8_t first, uint8_t *pick)
{
    for (unsigned i = 0; i < lanes; i++)
        pick[i] = (uint8_t)(first + i);
    if (selector == NULL)
        return 0;
    if (selector[0] != (lanes == 2 ? 'h' : 'b') || strlen(selector) != lanes + 1)
        return -1;
    for (unsigned i = 0; i < lanes; i++) {
        pick[i] = (uint8_t)(selector[lanes - i] - '0');
        if (pick[i] >= 2 * lanes)
            return -1;
    }
    return 0;
}

/* Decodes .b310 of the result, the lanes that are written. */
static int
parse_mask(const char *selector, unsigned lanes, uint8_t *mask)
{
    *mask = (uint8_t)((1u << lanes) - 1);
    if (selector == NULL)
        return 0;
    if (selector[0] != (lanes == 2 ? 'h' : 'b') || selector[1] == '\0')
        return -1;
    *mask = 0;
    for (const char *p = selector + 1; *p != '\0'; p++) {
        if (*p < '0' || *p >= (char)('0' + lanes))
            return -1;
        *mask |= (uint8_t)(1u << (*p - '0'));
    }
    return 0;
}

static int
parse_selectors(struct video *v, const struct ptx_operand *o)
{
    if (v->lanes == 1)
        return parse_pick(o[0].selector, &v->d_bit, &v->d_bits) == 0 &&
                       parse_pick(o[1].selector, &v->a_bit, &v->a_bits) == 0 &&
                       parse_pick(o[2].selector, &v->b_bit, &v->b_bits) == 0
                   ? 0
                   : -1;
    return parse_mask(o[0].selector, v->lanes, &v->mask) == 0 &&
                   parse_picks(o[1].selector, v->lanes, 0, v->a_pick) == 0 &&
                   parse_picks(o[2].selector, v->lanes, (uint8_t)v->lanes, v->b_pick) == 0
               ? 0
               : -1;
}

static bool
signed_type(struct decoder *d, const struct ptx_insn *in, unsigned i)
{
    return type_read(d, in, i) == PTX_s32;
}

static int
parse_form(struct decoder *d, struct video *v, const struct ptx_insn *in)
{
    /* vset has no type of its own result, which is 0 or 1. */
    unsigned at = v->op == PTX_OP_vset ? 0 : 1;
    bool shifts = v->op == PTX_OP_vshl || v->op == PTX_OP_vshr;
    bool multiplies = v->op == PTX_OP_vmad, compares = v->op == PTX_OP_vset;
    int compare = compares ? compare_of(d, in, PTX_s32) : 0;
    enum ptx_mod outside =
        shifts ? MOD_READ_ANY(d, in, PTX_MOD_clamp, PTX_MOD_wrap) : PTX_MOD_clamp;

    if (in->type_count != at + 2 || in->operand_count < 3 || compare < 0 ||
        outside == PTX_MOD_UNKNOWN)
        return -1;
    for (unsigned i = 0; i < in->type_count; i++)
        if (type_read(d, in, i) != PTX_s32 && type_read(d, in, i) != PTX_u32)
            return -1;
    v->compare = (enum compare)compare;
    v->d_signed = at != 0 && signed_type(d, in, 0);
    v->a_signed = signed_type(d, in, at);
    v->b_signed = signed_type(d, in, at + 1);
    v->saturates = !compares && mod_read(d, in, PTX_MOD_sat);
    v->wraps = outside == PTX_MOD_wrap;
    v->second = SECOND_NONE;
    if (!multiplies && mod_read(d, in, PTX_MOD_add))
        v->second = SECOND_ADD;
    else if (!multiplies && v->lanes == 1 && mod_read(d, in, PTX_MOD_min))
        v->second = SECOND_MIN;
    else if (!multiplies && v->lanes == 1 && mod_read(d, in, PTX_MOD_max))
        v->second = SECOND_MAX;
    if (multiplies && mod_read(d, in, PTX_MOD_shr7))
        v->shift = 7;
    else if (multiplies && mod_read(d, in, PTX_MOD_shr15))
        v->shift = 15;
    v->plus_one = multiplies && mod_read(d, in, PTX_MOD_po);
    v->product_negated = in->operands[1].minus != in->operands[2].minus;
    v->c_negated = in->operand_count > 3 && in->operands[3].minus;
    return 0;
}

int
decode_video(struct decoder *d, const struct ptx_insn *in)
{
    struct video *v = NULL;
    const struct ptx_operand *o = in->operands;
    bool has_c = in->operand_count == 4;

    for (size_t i = 0; i < sizeof video_ops / sizeof *video_ops; i++) {
        if (video_ops[i].op != in->op)
            continue;
        v = kernel_alloc(d, sizeof *v);
        if (v == NULL)
            return -1;
        v->op = (enum ptx_op)video_ops[i].scalar;
        v->lanes = video_ops[i].lanes;
    }
    if (v == NULL || in->operand_count > 4 || has_sum(in) || parse_form(d, v, in) != 0 ||
        parse_selectors(v, o) != 0)
        return -1;
    /* The third operand is needed where the result is merged, accumulated or made in
     * lanes. */
    if (!has_c && (v->lanes > 1 || v->d_bits < 32 || v->second != SECOND_NONE ||
                   v->op == PTX_OP_vmad))
        return -1;
    if (v->lanes == 1 && v->d_bits < 32 && v->second != SECOND_NONE)
        return -1; /* c is merged or accumulated, not both */
    if (has_c && v->lanes == 1 && v->d_bits == 32 && v->second == SECOND_NONE &&
        v->op != PTX_OP_vmad)
        return -1; /* nothing would use it */
    for (unsigned i = 0; i < in->operand_count; i++)
        operand_read(d, &o[i],
                     (i < 3 && (i > 0 || v->op != PTX_OP_vmad) ? OPERAND_SELECTOR : 0u) |
                         (i > 0 && v->op == PTX_OP_vmad ? OPERAND_MINUS : 0u));
    v->extra.vectors[0] = destination(d, &o[0], 4);
    v->extra.vectors[1] = source(d, &o[1], PTX_b32);
    v->extra.vectors[2] = source(d, &o[2], PTX_b32);
    v->extra.vectors[3] = has_c ? source(d, &o[3], PTX_b32) : constant_vector(d, 0, 4);
    for (unsigned i = 0; i < 4; i++)
        if (v->extra.vectors[i] == UINT32_MAX)
            return -1;
    count_work(d, WORK_INT, v->lanes + 1u); /* one more picks the parts of the operands */
    emit(d, op_video)->extra = &v->extra;
    return 0;
}
