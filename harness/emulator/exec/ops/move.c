/* mov, selp and lop3, and logic of predicates (PTX ISA 9.7.8, 9.7.9). */
#include "../decode/families.h"
#include "../decode/opcode.h"
#include "../warp.h"

/* --- mov of vectors (9.7.9.1) -------------------------------------------- */

/* mov.b32 %r, {%rs1, %rs2}: x = elements, y = bytes of one. Its register may be wider. */
static const struct insn *
op_pack(struct warp *w, const struct insn *in)
{
    const struct extra *e = in->extra;
    uint32_t lane_bytes = in->y == 1 ? 2 : in->y;

    if (w->mask == FULL_MASK && in->x == 2 && in->y == 4) {
        const uint32_t *low = (const uint32_t *)(const void *)(w->regs + e->vectors[0]);
        const uint32_t *high = (const uint32_t *)(const void *)(w->regs + e->vectors[1]);
        uint64_t *d = (uint64_t *)(void *)(w->regs + in->d);

        for (int i = 0; i < LANES; i++)
            d[i] = low[i] | (uint64_t)high[i] << 32;
        return in + 1;
    }
    if (w->mask == FULL_MASK && in->x == 2 && in->y == 2) {
        const uint16_t *low = (const uint16_t *)(const void *)(w->regs + e->vectors[0]);
        const uint16_t *high = (const uint16_t *)(const void *)(w->regs + e->vectors[1]);
        uint32_t *d = (uint32_t *)(void *)(w->regs + in->d);

        for (int i = 0; i < LANES; i++)
            d[i] = low[i] | (uint32_t)high[i] << 16;
        return in + 1;
    }
    for (uint32_t m = w->mask; m != 0; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctz(m);
        uint8_t bytes[8];

        for (uint32_t k = 0; k < in->x; k++)
            __builtin_memcpy(bytes + k * in->y,
                             w->regs + e->vectors[k] + lane * lane_bytes, in->y);
        __builtin_memcpy(w->regs + in->d + lane * in->x * in->y, bytes, in->x * in->y);
    }
    return in + 1;
}

static const struct insn *
op_unpack(struct warp *w, const struct insn *in)
{
    const struct extra *e = in->extra;
    uint32_t lane_bytes = in->y == 1 ? 2 : in->y;

    if (w->mask == FULL_MASK && in->x == 2 && in->y == 4) {
        const uint64_t *a = (const uint64_t *)(const void *)(w->regs + in->a);
        uint32_t *low = (uint32_t *)(void *)(w->regs + e->vectors[0]);
        uint32_t *high = (uint32_t *)(void *)(w->regs + e->vectors[1]);

        for (int i = 0; i < LANES; i++) {
            uint64_t v = a[i];

            low[i] = (uint32_t)v;
            high[i] = (uint32_t)(v >> 32);
        }
        return in + 1;
    }
    if (w->mask == FULL_MASK && in->x == 2 && in->y == 2) {
        const uint32_t *a = (const uint32_t *)(const void *)(w->regs + in->a);
        uint16_t *low = (uint16_t *)(void *)(w->regs + e->vectors[0]);
        uint16_t *high = (uint16_t *)(void *)(w->regs + e->vectors[1]);

        for (int i = 0; i < LANES; i++) {
            uint32_t v = a[i];

            low[i] = (uint16_t)v;
            high[i] = (uint16_t)(v >> 16);
        }
        return in + 1;
    }
    for (uint32_t m = w->mask; m != 0; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctz(m);
        uint8_t bytes[8];

        __builtin_memcpy(bytes, w->regs + in->a + lane * in->x * in->y, in->x * in->y);
        for (uint32_t k = 0; k < in->x; k++)
            __builtin_memcpy(w->regs + e->vectors[k] + lane * lane_bytes,
                             bytes + k * in->y, in->y);
    }
    return in + 1;
}

/* {a, b} = {c, d} goes through new lane vectors, because a may be d. */
static int
decode_list_mov(struct decoder *d, const struct ptx_insn *in, enum ptx_type type)
{
    const struct ptx_operand *to = &in->operands[0], *from = &in->operands[1];
    uint32_t bytes = register_bytes(type), between[8];
    handler mov =
        lane_handler(d, (struct lane_key){PTX_OP_mov, type, PTX_TYPE_NONE, LANE_PLAIN});

    if (mov == NULL || to->count != from->count || to->count > 8)
        return -1;
    for (uint32_t pass = 0; pass < 2; pass++) {
        for (uint32_t i = 0; i < to->count; i++) {
            struct insn out = {.fn = mov};

            if (pass == 0)
                between[i] = new_vector(d, bytes);
            out.d = pass == 0 ? between[i] : destination(d, &to->list[i], bytes);
            out.a = pass == 0 ? source(d, &from->list[i], type) : between[i];
            if (out.d == UINT32_MAX || out.a == UINT32_MAX)
                return -1;
            *emit(d, mov) = out;
        }
    }
    return 0;
}

static int
decode_vector_mov(struct decoder *d, const struct ptx_insn *in, enum ptx_type type)
{
    const struct ptx_operand *o = in->operands;
    bool unpack = o[0].kind == PTX_OPERAND_LIST;
    const struct ptx_operand *list = unpack ? &o[0] : &o[1];
    static const enum ptx_type types[] = {0, PTX_b8, PTX_b16, 0, PTX_b32};
    uint32_t bytes = ptx_type_bytes(type), part, whole, elements = 0;
    struct extra *e;
    struct insn *out;

    if ((list->count == 2 && mod_read(d, in, PTX_MOD_v2)) ||
        (list->count == 4 && mod_read(d, in, PTX_MOD_v4)))
        elements = list->count;
    if ((elements != 0) != (unpack && o[1].kind == PTX_OPERAND_LIST && type != PTX_b128))
        return -1;
    if (unpack && o[1].kind == PTX_OPERAND_LIST) /* mov.v4.u32, and mov.b128 */
        return decode_list_mov(d, in, type == PTX_b128 ? PTX_b64 : type);
    e = kernel_alloc(d, sizeof *e);
    if (e == NULL || bytes > 8 || (list->count != 2 && list->count != 4) ||
        bytes / list->count == 0)
        return -1;
    part = bytes / list->count;
    for (uint32_t i = 0; i < list->count; i++) {
        const struct ptx_operand *one = &list->list[i];
        bool is_decimal = one->kind == PTX_OPERAND_F64 && part == 4; /* 1.0 as f32 */

        e->vectors[i] = unpack ? destination(d, one, part == 1 ? 2 : part)
                               : source(d, one, is_decimal ? PTX_f32 : types[part]);
        if (e->vectors[i] == UINT32_MAX)
            return -1;
    }
    whole = unpack ? source(d, &o[1], type) : destination(d, &o[0], bytes);
    if (whole == UINT32_MAX)
        return -1;
    out = emit(d, unpack ? op_unpack : op_pack);
    out->extra = e;
    out->d = out->a = whole;
    out->x = list->count;
    out->y = part;
    return 0;
}

static const struct insn *
op_mov_predicate(struct warp *w, const struct insn *in)
{
    uint32_t *d = (uint32_t *)(void *)(w->regs + in->d);
    uint32_t a = *(const uint32_t *)(const void *)(w->regs + in->a);

    a = in->x ? ~a : a;
    *d = (*d & ~w->mask) | (a & w->mask);
    return in + 1;
}

/* and, or, xor of predicates. Bit 0 of x negates a, bit 1 negates b; y = operation. */
static const struct insn *
op_logic_predicate(struct warp *w, const struct insn *in)
{
    uint32_t *d = (uint32_t *)(void *)(w->regs + in->d), r;
    uint32_t a = *(const uint32_t *)(const void *)(w->regs + in->a);
    uint32_t b = *(const uint32_t *)(const void *)(w->regs + in->b);

    a = in->x & 1 ? ~a : a;
    b = in->x & 2 ? ~b : b;
    r = in->y == 0 ? a & b : in->y == 1 ? a | b : a ^ b;
    *d = (*d & ~w->mask) | (r & w->mask);
    return in + 1;
}

static int
decode_predicate_logic(struct decoder *d, const struct ptx_insn *in)
{
    const struct ptx_operand *o = in->operands;
    bool na = false, nb = false;
    struct insn out = {0};

    if (in->operand_count < 2)
        return -1;
    out.d = destination(d, &o[0], 0);
    out.a = predicate(d, &o[1], &na);
    if (in->op == PTX_OP_mov || in->op == PTX_OP_not) {
        out.fn = op_mov_predicate;
        out.x = (in->op == PTX_OP_not) ^ na;
    } else if (in->operand_count == 3 &&
               (in->op == PTX_OP_and || in->op == PTX_OP_or || in->op == PTX_OP_xor)) {
        out.fn = op_logic_predicate;
        out.b = predicate(d, &o[2], &nb);
        out.x = (uint32_t)na | (uint32_t)nb << 1;
        out.y = in->op == PTX_OP_and ? 0 : in->op == PTX_OP_or ? 1 : 2;
    } else {
        return -1;
    }
    if (out.d == UINT32_MAX || out.a == UINT32_MAX || out.b == UINT32_MAX)
        return -1;
    *emit(d, out.fn) = out;
    return 0;
}

static int
decode_selp(struct decoder *d, const struct ptx_insn *in)
{
    enum ptx_type type = type_read(d, in, 0);
    const struct ptx_operand *o = in->operands;
    struct insn out = {0};
    bool negated;

    if (in->operand_count != 4 || !is_number(type) || !operand_fits(&o[0], type))
        return -1;
    out.fn =
        lane_handler(d, (struct lane_key){PTX_OP_selp, type, PTX_TYPE_NONE, LANE_PLAIN});
    out.d = destination(d, &o[0], register_bytes(type));
    out.a = source(d, &o[1], type);
    out.b = source(d, &o[2], type);
    out.c = predicate(d, &o[3], &negated);
    if (out.fn == NULL || out.d == UINT32_MAX || out.a == UINT32_MAX ||
        out.b == UINT32_MAX || out.c == UINT32_MAX)
        return -1;
    if (negated) {
        uint32_t a = out.a;

        out.a = out.b;
        out.b = a;
    }
    count_unit(d, in);
    *emit(d, out.fn) = out;
    return 0;
}

/* The predicate of lop3.or.b32 d|p, a, b, c, table, q, which is (d != 0) or q. In the
 * insn a = d, c = q, d = p; x = 1: q is negated, y = 1: .and instead of .or. */
static const struct insn *
op_lop3_predicate(struct warp *w, const struct insn *in)
{
    const uint32_t *a = (const uint32_t *)(const void *)(w->regs + in->a);
    uint32_t *p = (uint32_t *)(void *)(w->regs + in->d), r = 0;
    uint32_t q = *(const uint32_t *)(const void *)(w->regs + in->c);

    for (uint32_t m = w->mask; m != 0; m &= m - 1)
        r |= (uint32_t)(a[__builtin_ctz(m)] != 0) << __builtin_ctz(m);
    q = in->x != 0 ? ~q : q;
    r = in->y != 0 ? r & q : r | q;
    *p = (*p & ~w->mask) | (r & w->mask);
    return in + 1;
}

static int
emit_lop3_predicate(struct decoder *d, const struct ptx_insn *in, uint32_t vector)
{
    struct insn out = {.fn = op_lop3_predicate, .a = vector};
    enum ptx_mod combine = MOD_READ_ANY(d, in, PTX_MOD_or_, PTX_MOD_and_);
    bool negated;

    if (in->operand_count != 6 || in->operands[0].second == NULL ||
        combine == PTX_MOD_UNKNOWN)
        return -1;
    out.d = destination(d, in->operands[0].second, 0);
    out.c = predicate(d, &in->operands[5], &negated);
    out.x = negated;
    out.y = combine == PTX_MOD_and_;
    if (out.d == UINT32_MAX || out.c == UINT32_MAX)
        return -1;
    *emit(d, out.fn) = out;
    return 0;
}

static int
decode_lop3(struct decoder *d, const struct ptx_insn *in)
{
    const struct ptx_operand *o = in->operands;
    struct insn out = {0};

    if (in->operand_count < 5 || type_read(d, in, 0) != PTX_b32 ||
        o[4].kind != PTX_OPERAND_INT)
        return -1;
    out.fn = lane_handler(
        d, (struct lane_key){PTX_OP_lop3, PTX_b32, PTX_TYPE_NONE, LANE_PLAIN});
    out.d = destination(d, &o[0], 4);
    out.a = source(d, &o[1], PTX_b32);
    out.b = source(d, &o[2], PTX_b32);
    out.c = source(d, &o[3], PTX_b32);
    operand_read(d, &o[4], OPERAND_VALUE);
    out.x = (uint32_t)o[4].bits & 0xff;
    if (out.d == UINT32_MAX || out.a == UINT32_MAX || out.b == UINT32_MAX ||
        out.c == UINT32_MAX)
        return -1;
    count_unit(d, in);
    *emit(d, out.fn) = out;
    if (in->operand_count == 5)
        return 0;
    return emit_lop3_predicate(d, in, out.d);
}

int
decode_move(struct decoder *d, const struct ptx_insn *in)
{
    enum ptx_type type = type_read(d, in, 0);
    const struct ptx_operand *o = in->operands;
    struct insn out = {0};

    if (in->type_count != 1)
        return -1;
    if (type == PTX_pred)
        return decode_predicate_logic(d, in);
    if (in->op == PTX_OP_selp)
        return decode_selp(d, in);
    if (in->op == PTX_OP_lop3)
        return decode_lop3(d, in);
    if (o[0].kind == PTX_OPERAND_LIST || o[1].kind == PTX_OPERAND_LIST)
        return decode_vector_mov(d, in, type);
    if (o[1].kind == PTX_OPERAND_SREG && o[1].sreg >= PTX_SREG_clock &&
        o[1].sreg <= PTX_SREG_globaltimer_hi)
        return decode_clock(d, in);
    out.fn =
        lane_handler(d, (struct lane_key){PTX_OP_mov, type, PTX_TYPE_NONE, LANE_PLAIN});
    out.d = destination(d, &o[0], register_bytes(type));
    out.a = source(d, &o[1], type);
    if (!operand_fits(&o[0], type) || out.fn == NULL || out.d == UINT32_MAX ||
        out.a == UINT32_MAX)
        return -1;
    *emit(d, out.fn) = out;
    return 0;
}

/* Decodes and, or, xor, not. */
int
decode_logic(struct decoder *d, const struct ptx_insn *in)
{
    return in->type_count == 1 && type_read(d, in, 0) == PTX_pred
               ? decode_predicate_logic(d, in)
               : decode_arithmetic(d, in);
}
