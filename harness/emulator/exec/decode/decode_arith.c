/*
 * Decoding of arithmetic, logic, moves and comparisons on whole rows (PTX ISA 9.7.1
 * to 9.7.9). What the lane tables don't have is tried as scalar operations afterwards
 * (decode_scalar).
 */
#include "decode.h"

#include <xmmintrin.h>

/* --- floating-point environment ------------------------------------------ */

enum { ENV_SAT = 1, ENV_FLUSH = 2 };
enum { MXCSR_DAZ = 0x0040, MXCSR_FTZ = 0x8000 };

/* An operation under another rounding mode, flush to zero or saturation: x = MXCSR bits,
 * y = ENV_*, inner = the plain handler. x86's FTZ and DAZ are exactly .ftz. */
static const struct insn *
op_environment(struct warp *w, const struct insn *in)
{
    unsigned saved = _mm_getcsr();
    const struct insn *next;

    _mm_setcsr((saved & ~(unsigned)_MM_ROUND_MASK) | in->x);
    __asm__ volatile("" ::: "memory");
    next = in->inner(w, in);
    __asm__ volatile("" ::: "memory");
    _mm_setcsr(saved);
    if (in->y & ENV_SAT) {
        float *d = (float *)(void *)(w->regs + in->d);

        /* 9.7.3: .sat clamps to [0, 1]; NaN becomes +0. */
        for (uint32_t m = w->mask; m != 0; m &= m - 1) {
            int i = __builtin_ctz(m);

            d[i] = d[i] > 0.0f ? (d[i] < 1.0f ? d[i] : 1.0f) : 0.0f;
        }
    }
    if (in->y & ENV_FLUSH) {
        uint32_t *d = (uint32_t *)(void *)(w->regs + in->d);

        for (uint32_t m = w->mask; m != 0; m &= m - 1) {
            int i = __builtin_ctz(m);

            d[i] = (d[i] & 0x7f800000) == 0 ? d[i] & 0x80000000 : d[i];
        }
    }
    return next;
}

static unsigned
environment_bits(const struct ptx_insn *in)
{
    unsigned bits = 0;

    if (ptx_has_mod(in, PTX_MOD_rz))
        bits |= _MM_ROUND_TOWARD_ZERO;
    else if (ptx_has_mod(in, PTX_MOD_rm))
        bits |= _MM_ROUND_DOWN;
    else if (ptx_has_mod(in, PTX_MOD_rp))
        bits |= _MM_ROUND_UP;
    if (ptx_has_mod(in, PTX_MOD_ftz))
        bits |= MXCSR_FTZ | MXCSR_DAZ;
    return bits;
}

static void
wrap_environment(const struct ptx_insn *in, enum ptx_type type, struct insn *out)
{
    unsigned bits = environment_bits(in);
    bool sat = ptx_has_mod(in, PTX_MOD_sat) && type == PTX_f32;

    if ((type != PTX_f32 && type != PTX_f64) || (bits == 0 && !sat))
        return;
    out->inner = out->fn;
    out->fn = op_environment;
    out->x = bits;
    out->y = sat ? ENV_SAT : 0;
    /* These move bits and compute nothing that the processor would flush. */
    if (ptx_has_mod(in, PTX_MOD_ftz) && (in->op == PTX_OP_neg || in->op == PTX_OP_abs ||
                                         in->op == PTX_OP_min || in->op == PTX_OP_max))
        out->y |= ENV_FLUSH;
}

/* --- the lane tables ----------------------------------------------------- */

static enum ptx_type
unsigned_of(enum ptx_type t)
{
    switch (ptx_type_bytes(t)) {
    case 2:
        return PTX_u16;
    case 4:
        return PTX_u32;
    case 8:
        return PTX_u64;
    default:
        return PTX_TYPE_NONE;
    }
}

static handler
find_exact(const struct machine *m, struct lane_key key)
{
    const struct lane_entry *table = m->avx2 ? lanes_avx2 : lanes_generic;
    size_t count = m->avx2 ? lanes_avx2_count : lanes_generic_count;

    for (size_t i = 0; i < count; i++)
        if (table[i].op == key.op && table[i].type == key.type &&
            table[i].from == key.from && table[i].variant == key.variant)
            return table[i].fn;
    return NULL;
}

/* Two's complement makes many operations the same for signed, unsigned and bits; the
 * table has those under the unsigned type. */
handler
lane_find(const struct machine *m, struct lane_key key)
{
    handler fn = find_exact(m, key);
    enum ptx_class class = ptx_type_class(key.type);

    if (fn != NULL)
        return fn;
    if (class == PTX_CLASS_BITS || class == PTX_CLASS_SINT || key.op == PTX_OP_mov ||
        key.op == PTX_OP_selp) {
        key.type = unsigned_of(key.type);
        return find_exact(m, key);
    }
    return NULL;
}

/* --- arithmetic ---------------------------------------------------------- */

static unsigned
operand_total(enum ptx_op op)
{
    switch (op) {
    case PTX_OP_not:
    case PTX_OP_cnot:
    case PTX_OP_neg:
    case PTX_OP_abs:
    case PTX_OP_sqrt:
    case PTX_OP_rcp:
    case PTX_OP_rsqrt:
    case PTX_OP_ex2:
    case PTX_OP_lg2:
    case PTX_OP_sin:
    case PTX_OP_cos:
    case PTX_OP_tanh:
        return 2;
    case PTX_OP_add:
    case PTX_OP_sub:
    case PTX_OP_mul:
    case PTX_OP_div:
    case PTX_OP_rem:
    case PTX_OP_and:
    case PTX_OP_or:
    case PTX_OP_xor:
    case PTX_OP_shl:
    case PTX_OP_shr:
    case PTX_OP_min:
    case PTX_OP_max:
    case PTX_OP_copysign:
        return 3;
    case PTX_OP_mad:
    case PTX_OP_fma:
    case PTX_OP_dp4a:
        return 4;
    default:
        return 0;
    }
}

static void
count_arithmetic(struct decoder *d, enum ptx_op op, enum ptx_type type)
{
    uint32_t flops = op == PTX_OP_fma || op == PTX_OP_mad ? 2 : 1;

    switch (op) {
    case PTX_OP_sqrt:
    case PTX_OP_rcp:
    case PTX_OP_rsqrt:
    case PTX_OP_ex2:
    case PTX_OP_lg2:
    case PTX_OP_sin:
    case PTX_OP_cos:
    case PTX_OP_tanh:
        count_work(d, WORK_SFU, 1);
        return;
    case PTX_OP_div: /* a reciprocal and the steps that correct it */
        count_work(d, WORK_SFU, 1);
        flops = 8;
        break;
    case PTX_OP_dp4a:
        flops = 1;
        break;
    default:
        break;
    }
    if (type == PTX_f32)
        count_work(d, WORK_FP32, flops);
    else if (type == PTX_f64)
        count_work(d, WORK_FP64, flops);
    else
        count_work(d, WORK_INT, ptx_type_bytes(type) == 8 ? 2 : 1);
}

/* .approx and .full of add-like operations are computed exactly: within every bound. */
static bool
plain_form(const struct ptx_insn *in, enum ptx_type type)
{
    bool is_float = type == PTX_f32 || type == PTX_f64;

    for (unsigned i = 0; i < in->mod_count; i++) {
        switch ((enum ptx_mod)in->mods[i]) {
        case PTX_MOD_rn:
        case PTX_MOD_rz:
        case PTX_MOD_rm:
        case PTX_MOD_rp:
        case PTX_MOD_ftz:
            if (!is_float)
                return false;
            break;
        case PTX_MOD_sat:
            if (type != PTX_f32)
                return false;
            break;
        case PTX_MOD_approx:
        case PTX_MOD_full:
            if (type != PTX_f32)
                return false;
            break;
        case PTX_MOD_lo:
        case PTX_MOD_hi:
        case PTX_MOD_wide:
            break;
        default:
            return false;
        }
    }
    return true;
}

int
decode_arithmetic(struct decoder *d, const struct ptx_insn *in)
{
    unsigned total = operand_total(in->op);
    enum ptx_type type = (enum ptx_type)in->types[0];
    bool wide = ptx_has_mod(in, PTX_MOD_wide), hi = ptx_has_mod(in, PTX_MOD_hi);
    struct lane_key key = {in->op, type, PTX_TYPE_NONE,
                           wide ? LANE_WIDE
                           : hi ? LANE_HI
                                : LANE_PLAIN};
    uint32_t bytes = register_bytes(type);
    const struct ptx_operand *o = in->operands;
    struct insn out = {0};

    if (total == 0 || in->operand_count != total || !plain_form(in, type) ||
        in->type_count != (in->op == PTX_OP_dp4a ? 2 : 1))
        return -1;
    if (in->op == PTX_OP_dp4a)
        key.from = (enum ptx_type)in->types[1];
    if (in->op == PTX_OP_mad && (type == PTX_f32 || type == PTX_f64))
        key.op = PTX_OP_fma;
    if (in->op == PTX_OP_div && ptx_has_mod(in, PTX_MOD_approx))
        key.variant = LANE_APPROX;
    out.fn = lane_find(d->machine, key);
    if (out.fn == NULL)
        return -1;
    out.d = destination(d, &o[0], wide ? bytes * 2 : bytes);
    out.a = source(d, &o[1], type);
    if (total > 2)
        out.b = source(d, &o[2],
                       in->op == PTX_OP_shl || in->op == PTX_OP_shr ? PTX_u32 : type);
    if (total > 3)
        out.c = source(d, &o[3], !wide ? type : bytes == 2 ? PTX_u32 : PTX_u64);
    if (out.d == UINT32_MAX || out.a == UINT32_MAX || out.b == UINT32_MAX ||
        out.c == UINT32_MAX)
        return -1;
    wrap_environment(in, type, &out);
    count_arithmetic(d, in->op, type);
    *emit(d, out.fn) = out;
    return 0;
}

/* --- mov, selp, cvta, lop3 ----------------------------------------------- */

/* --- mov of vectors (9.7.9.1) -------------------------------------------- */

/* mov.b32 %r, {%rs1, %rs2}; x = elements, y = bytes of one, rows of which may be wider.
 */
static const struct insn *
op_pack(struct warp *w, const struct insn *in)
{
    const struct extra *e = in->extra;
    uint32_t row_bytes = in->y == 1 ? 2 : in->y;

    if (w->mask == FULL_MASK && in->x == 2 && in->y == 4) {
        const uint32_t *low = (const uint32_t *)(const void *)(w->regs + e->rows[0]);
        const uint32_t *high = (const uint32_t *)(const void *)(w->regs + e->rows[1]);
        uint64_t *d = (uint64_t *)(void *)(w->regs + in->d);

        for (int i = 0; i < LANES; i++)
            d[i] = low[i] | (uint64_t)high[i] << 32;
        return in + 1;
    }
    if (w->mask == FULL_MASK && in->x == 2 && in->y == 2) {
        const uint16_t *low = (const uint16_t *)(const void *)(w->regs + e->rows[0]);
        const uint16_t *high = (const uint16_t *)(const void *)(w->regs + e->rows[1]);
        uint32_t *d = (uint32_t *)(void *)(w->regs + in->d);

        for (int i = 0; i < LANES; i++)
            d[i] = low[i] | (uint32_t)high[i] << 16;
        return in + 1;
    }
    for (uint32_t m = w->mask; m != 0; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctz(m);
        uint8_t bytes[8];

        for (uint32_t k = 0; k < in->x; k++)
            __builtin_memcpy(bytes + k * in->y, w->regs + e->rows[k] + lane * row_bytes,
                             in->y);
        __builtin_memcpy(w->regs + in->d + lane * in->x * in->y, bytes, in->x * in->y);
    }
    return in + 1;
}

static const struct insn *
op_unpack(struct warp *w, const struct insn *in)
{
    const struct extra *e = in->extra;
    uint32_t row_bytes = in->y == 1 ? 2 : in->y;

    if (w->mask == FULL_MASK && in->x == 2 && in->y == 4) {
        const uint64_t *a = (const uint64_t *)(const void *)(w->regs + in->a);
        uint32_t *low = (uint32_t *)(void *)(w->regs + e->rows[0]);
        uint32_t *high = (uint32_t *)(void *)(w->regs + e->rows[1]);

        for (int i = 0; i < LANES; i++) {
            uint64_t v = a[i];

            low[i] = (uint32_t)v;
            high[i] = (uint32_t)(v >> 32);
        }
        return in + 1;
    }
    if (w->mask == FULL_MASK && in->x == 2 && in->y == 2) {
        const uint32_t *a = (const uint32_t *)(const void *)(w->regs + in->a);
        uint16_t *low = (uint16_t *)(void *)(w->regs + e->rows[0]);
        uint16_t *high = (uint16_t *)(void *)(w->regs + e->rows[1]);

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
            __builtin_memcpy(w->regs + e->rows[k] + lane * row_bytes, bytes + k * in->y,
                             in->y);
    }
    return in + 1;
}

/* {a, b} = {c, d}: through rows of our own, because a may be d. */
static int
decode_list_mov(struct decoder *d, const struct ptx_insn *in, enum ptx_type type)
{
    const struct ptx_operand *to = &in->operands[0], *from = &in->operands[1];
    uint32_t bytes = register_bytes(type), between[8];
    handler mov = lane_find(
        d->machine, (struct lane_key){PTX_OP_mov, type, PTX_TYPE_NONE, LANE_PLAIN});

    if (mov == NULL || to->count != from->count || to->count > 8)
        return -1;
    for (uint32_t pass = 0; pass < 2; pass++) {
        for (uint32_t i = 0; i < to->count; i++) {
            struct insn out = {.fn = mov};

            if (pass == 0)
                between[i] = new_row(d, bytes);
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
    uint32_t bytes = ptx_type_bytes(type), part, whole;
    struct extra *e;
    struct insn *out;

    if (unpack && o[1].kind == PTX_OPERAND_LIST) /* mov.v4.u32, and mov.b128 */
        return decode_list_mov(d, in, type == PTX_b128 ? PTX_b64 : type);
    e = kernel_alloc(d, sizeof *e);
    if (e == NULL || in->mod_count != 0 || bytes > 8 ||
        (list->count != 2 && list->count != 4) || bytes / list->count == 0)
        return -1;
    part = bytes / list->count;
    for (uint32_t i = 0; i < list->count; i++) {
        e->rows[i] = unpack ? destination(d, &list->list[i], part == 1 ? 2 : part)
                            : source(d, &list->list[i], types[part]);
        if (e->rows[i] == UINT32_MAX)
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

/* and, or, xor of predicates: x bit 0 negates a, bit 1 negates b; y = operation. */
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

/* 9.7.9.20 cvta: windows are added or taken away; global and const are generic already.
 */
static int
decode_cvta(struct decoder *d, const struct ptx_insn *in)
{
    enum ptx_space space = insn_space(in);
    enum ptx_type type = (enum ptx_type)in->types[0];
    uint64_t window = space == PTX_SPACE_SHARED  ? SHARED_WINDOW
                      : space == PTX_SPACE_LOCAL ? LOCAL_WINDOW
                      : space == PTX_SPACE_PARAM ? PARAM_WINDOW
                                                 : 0;
    bool to = ptx_has_mod(in, PTX_MOD_to);
    struct lane_key key = {window == 0 ? PTX_OP_mov
                           : to        ? PTX_OP_sub
                                       : PTX_OP_add,
                           type, PTX_TYPE_NONE, LANE_PLAIN};
    struct insn out = {0};

    if (in->operand_count != 2 || (type != PTX_u64 && (type != PTX_u32 || window != 0)))
        return -1;
    out.fn = lane_find(d->machine, key);
    out.d = destination(d, &in->operands[0], ptx_type_bytes(type));
    out.a = source(d, &in->operands[1], type);
    out.b = window != 0 ? constant_row(d, window, 8) : 0;
    if (out.d == UINT32_MAX || out.a == UINT32_MAX || out.b == UINT32_MAX)
        return -1;
    *emit(d, out.fn) = out;
    return 0;
}

static int
decode_selp(struct decoder *d, const struct ptx_insn *in)
{
    enum ptx_type type = (enum ptx_type)in->types[0];
    const struct ptx_operand *o = in->operands;
    struct insn out = {0};
    bool negated;

    if (in->operand_count != 4)
        return -1;
    out.fn = lane_find(d->machine,
                       (struct lane_key){PTX_OP_selp, type, PTX_TYPE_NONE, LANE_PLAIN});
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
    count_work(d, WORK_INT, 1);
    *emit(d, out.fn) = out;
    return 0;
}

/* lop3.or.b32 d|p, a, b, c, table, q: p = (d != 0) or q. a = row of d, c of q, d of p;
 * x: q is negated, y: and */
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
emit_lop3_predicate(struct decoder *d, const struct ptx_insn *in, uint32_t row)
{
    struct insn out = {.fn = op_lop3_predicate, .a = row};
    bool negated;

    if (in->operand_count != 6 || in->mod_count != 1 || in->operands[0].second == NULL ||
        (in->mods[0] != PTX_MOD_or_ && in->mods[0] != PTX_MOD_and_))
        return -1;
    out.d = destination(d, in->operands[0].second, 0);
    out.c = predicate(d, &in->operands[5], &negated);
    out.x = negated;
    out.y = in->mods[0] == PTX_MOD_and_;
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

    if (in->operand_count < 5 || in->types[0] != PTX_b32 || o[4].kind != PTX_OPERAND_INT)
        return -1;
    out.fn = lane_find(
        d->machine, (struct lane_key){PTX_OP_lop3, PTX_b32, PTX_TYPE_NONE, LANE_PLAIN});
    out.d = destination(d, &o[0], 4);
    out.a = source(d, &o[1], PTX_b32);
    out.b = source(d, &o[2], PTX_b32);
    out.c = source(d, &o[3], PTX_b32);
    out.x = (uint32_t)o[4].bits & 0xff;
    if (out.d == UINT32_MAX || out.a == UINT32_MAX || out.b == UINT32_MAX ||
        out.c == UINT32_MAX)
        return -1;
    count_work(d, WORK_INT, 1);
    *emit(d, out.fn) = out;
    if (in->operand_count == 5 && in->mod_count == 0)
        return 0;
    return emit_lop3_predicate(d, in, out.d);
}

int
decode_move(struct decoder *d, const struct ptx_insn *in)
{
    enum ptx_type type = (enum ptx_type)in->types[0];
    const struct ptx_operand *o = in->operands;
    struct insn out = {0};

    if (in->type_count != 1)
        return -1;
    if (type == PTX_pred)
        return decode_predicate_logic(d, in);
    if (in->op == PTX_OP_cvta)
        return decode_cvta(d, in);
    if (in->op == PTX_OP_selp)
        return decode_selp(d, in);
    if (in->op == PTX_OP_lop3)
        return decode_lop3(d, in);
    if (in->op != PTX_OP_mov || in->operand_count != 2)
        return -1;
    if (o[0].kind == PTX_OPERAND_LIST || o[1].kind == PTX_OPERAND_LIST)
        return decode_vector_mov(d, in, type);
    if (in->mod_count != 0)
        return -1;
    if (o[1].kind == PTX_OPERAND_SREG && o[1].sreg >= PTX_SREG_clock &&
        o[1].sreg <= PTX_SREG_globaltimer_hi)
        return -1; /* decode_system */
    out.fn = lane_find(d->machine,
                       (struct lane_key){PTX_OP_mov, type, PTX_TYPE_NONE, LANE_PLAIN});
    out.d = destination(d, &o[0], register_bytes(type));
    out.a = source(d, &o[1], type);
    if (out.fn == NULL || out.d == UINT32_MAX || out.a == UINT32_MAX)
        return -1;
    *emit(d, out.fn) = out;
    return 0;
}

/* --- setp -------------------------------------------------------------- */

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

int
compare_of(const struct ptx_insn *in)
{
    for (unsigned i = 0; i < in->mod_count; i++)
        for (size_t k = 0; k < sizeof comparisons / sizeof *comparisons; k++)
            if (comparisons[k].mod == in->mods[i])
                return comparisons[k].compare;
    return -1;
}

/* setp.ftz: the environment without x and y, which setp uses itself. */
static const struct insn *
op_compare_flushing(struct warp *w, const struct insn *in)
{
    unsigned saved = _mm_getcsr();
    const struct insn *next;

    _mm_setcsr(saved | MXCSR_DAZ);
    __asm__ volatile("" ::: "memory");
    next = in->inner(w, in);
    __asm__ volatile("" ::: "memory");
    _mm_setcsr(saved);
    return next;
}

int
decode_compare(struct decoder *d, const struct ptx_insn *in)
{
    enum ptx_type type = (enum ptx_type)in->types[0];
    const struct ptx_operand *o = in->operands;
    struct insn out = {.c = UINT32_MAX, .x = UINT32_MAX};
    int compare = compare_of(in);
    bool negated = false, ftz = ptx_has_mod(in, PTX_MOD_ftz);
    uint32_t q;

    if (in->op != PTX_OP_setp || in->type_count != 1 || in->operand_count < 3 ||
        compare < 0)
        return -1;
    out.fn = lane_find(d->machine, (struct lane_key){PTX_OP_setp, type, PTX_TYPE_NONE,
                                                     (uint32_t)compare});
    if (out.fn == NULL || (ftz && type != PTX_f32))
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
        out.y = ptx_has_mod(in, PTX_MOD_or_) ? 1 : ptx_has_mod(in, PTX_MOD_xor_) ? 2 : 0;
        out.y |= negated ? 4 : 0;
    }
    if (out.d == UINT32_MAX || out.a == UINT32_MAX || out.b == UINT32_MAX)
        return -1;
    if (ftz) {
        out.inner = out.fn;
        out.fn = op_compare_flushing;
    }
    count_work(d, WORK_INT, 1);
    *emit(d, out.fn) = out;
    return 0;
}
