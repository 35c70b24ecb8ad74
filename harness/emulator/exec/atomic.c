/*
 * atom and red (PTX ISA 9.7.13.5, .6), lane by lane in lane order. Global memory is
 * shared by the workers, so the host's atomics are used on it; a shared-memory atomic
 * can't meet another one, because a block is one worker's.
 */
#include "async.h"
#include "decode.h"
#include "half.h"
#include "race.h"

#include <math.h>
#include <string.h>

struct atomic {
    struct extra extra; /* rows: d (UINT32_MAX: unused), address, b, c */
    enum ptx_mod op;
    enum ptx_type type;
    uint8_t bytes;
    bool wide_address;
    bool releases; /* .release, .acq_rel */
};

static const struct atomic *
atomic_of(const struct insn *in)
{
    return (const struct atomic *)(const void *)in->extra;
}

/* --- one operation ------------------------------------------------------- */

static uint64_t
add_floats(uint64_t old, uint64_t b, enum ptx_type t)
{
    uint32_t wo = (uint32_t)old, wb = (uint32_t)b;
    double x, y;
    float fo, fb;

    switch (t) {
    case PTX_f32:
        memcpy(&fo, &wo, 4);
        memcpy(&fb, &wb, 4);
        fo += fb;
        memcpy(&wo, &fo, 4);
        return fo == fo ? wo : 0x7fffffff;
    case PTX_f64:
        memcpy(&x, &old, 8);
        memcpy(&y, &b, 8);
        x += y;
        memcpy(&old, &x, 8);
        return old;
    default: {
        enum small_format f = t == PTX_bf16 || t == PTX_bf16x2 ? SMALL_BF16 : SMALL_F16;
        uint32_t low = small_from_double(
            f, small_to_double(f, wo & 0xffff) + small_to_double(f, wb & 0xffff),
            ROUND_NEAREST, false);
        uint32_t high = small_from_double(
            f, small_to_double(f, wo >> 16) + small_to_double(f, wb >> 16), ROUND_NEAREST,
            false);

        return t == PTX_f16 || t == PTX_bf16 ? low : high << 16 | low;
    }
    }
}

static bool
is_less(uint64_t a, uint64_t b, enum ptx_type t)
{
    if (t == PTX_s32)
        return (int32_t)a < (int32_t)b;
    return t == PTX_s64 ? (int64_t)a < (int64_t)b : a < b;
}

static uint64_t
combine(const struct atomic *a, uint64_t old, uint64_t b, uint64_t c)
{
    switch (a->op) {
    case PTX_MOD_add:
        return ptx_type_class(a->type) == PTX_CLASS_FLOAT ||
                       ptx_type_class(a->type) == PTX_CLASS_PACKED
                   ? add_floats(old, b, a->type)
                   : old + b;
    case PTX_MOD_exch:
        return b;
    case PTX_MOD_cas:
        return old == b ? c : old;
    case PTX_MOD_min:
        return is_less(b, old, a->type) ? b : old;
    case PTX_MOD_max:
        return is_less(old, b, a->type) ? b : old;
    case PTX_MOD_and_:
        return old & b;
    case PTX_MOD_or_:
        return old | b;
    case PTX_MOD_xor_:
        return old ^ b;
    case PTX_MOD_inc:
        return old >= b ? 0 : old + 1;
    default: /* dec */
        return old == 0 || old > b ? b : old - 1;
    }
}

/* 9.7.13.5: f32 additions to global memory, unlike shared, flush subnormals to zero. */
static uint64_t
flushed(uint64_t word)
{
    return (word & 0x7f800000) == 0 ? word & 0x80000000 : word;
}

static uint64_t
combine_global(const struct atomic *a, uint64_t old, uint64_t b, uint64_t c)
{
    if (a->op == PTX_MOD_add && a->type == PTX_f32)
        return flushed(combine(a, flushed(old), flushed(b), c));
    return combine(a, old, b, c);
}

#define UPDATE(T)                                                                        \
    {                                                                                    \
        T *p = (T *)(void *)host;                                                        \
        T old = __atomic_load_n(p, __ATOMIC_RELAXED);                                    \
                                                                                         \
        while (!__atomic_compare_exchange_n(p, &old, (T)combine_global(a, old, b, c),    \
                                            true, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))   \
            ;                                                                            \
        return old;                                                                      \
    }

static uint64_t
update_atomically(const struct atomic *a, uint8_t *host, uint64_t b, uint64_t c)
{
    if (a->bytes == 4)
        UPDATE(uint32_t)
    if (a->bytes == 8)
        UPDATE(uint64_t)
    UPDATE(uint16_t)
}

static uint64_t
update_alone(const struct atomic *a, uint8_t *host, uint64_t b, uint64_t c)
{
    uint64_t old = 0, now;

    memcpy(&old, host, a->bytes);
    now = combine(a, old, b, c);
    memcpy(host, &now, a->bytes);
    return old;
}

/* --- the warp's ---------------------------------------------------------- */

/* The largest number of lanes on one address, and the first lane on each. */
static unsigned
longest_chain(const uint64_t *ea, uint32_t mask, uint32_t *leaders)
{
    uint8_t table[64] = {0}, counts[LANES + 1];
    uint64_t keys[LANES + 1] = {0};
    unsigned n = 0, most = 0;

    *leaders = 0;
    for (uint32_t m = mask; m != 0; m &= m - 1) {
        uint64_t key = ea[__builtin_ctz(m)];
        unsigned h = (unsigned)((key * 0x9e3779b97f4a7c15u) >> 58);

        while (table[h] != 0 && keys[table[h]] != key)
            h = (h + 1) % 64;
        if (table[h] == 0) {
            table[h] = (uint8_t)++n;
            keys[n] = key;
            counts[n] = 0;
            *leaders |= m & -m;
        }
        if (++counts[table[h]] > most)
            most = counts[table[h]];
    }
    return most;
}

static void
count_atomic(struct warp *w, const struct atomic *a, const uint64_t *ea, bool shared)
{
    uint32_t slot = a->extra.slot;
    struct site_counts *c = site_counts(w, slot);
    uint32_t leaders;
    unsigned chain = longest_chain(ea, w->mask, &leaders);

    if (shared) { /* lanes on one address take turns, lanes on one bank too */
        count_shared(w, slot, ea, w->mask, a->bytes);
        c->shared_wavefronts += chain - 1;
        return;
    }
    count_atomics(w, slot, ea, w->mask, leaders);
    c->atomic_serial += chain;
    c->global_load_bytes += (uint64_t)a->bytes * (uint64_t)__builtin_popcount(w->mask);
    c->global_store_bytes += (uint64_t)a->bytes * (uint64_t)__builtin_popcount(w->mask);
}

static uint64_t
operand_of(const struct warp *w, uint32_t row, unsigned lane, unsigned bytes)
{
    uint64_t v = 0;

    if (row != UINT32_MAX)
        memcpy(&v, w->regs + row + lane * bytes, bytes);
    return v;
}

/* An atomic operation takes what was published at its location, and publishes. */
static void
race_edges(struct warp *w, const struct atomic *a, unsigned lane, uint64_t address,
           bool writes)
{
    if (a->extra.space == PTX_SPACE_SHARED)
        address += SHARED_WINDOW;
    race_acquire(w, lane, address);
    if (writes)
        race_release(w, lane, address, a->releases);
}

static const struct insn *
op_atomic(struct warp *w, const struct insn *in)
{
    const struct atomic *a = atomic_of(in);
    const struct extra *e = &a->extra;
    uint64_t ea[LANES];
    bool shared = e->space == PTX_SPACE_SHARED, checks = w->worker->run->checks;

    for (uint32_t m = w->mask; m != 0; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctz(m);
        uint64_t address = (uint64_t)e->imm;
        uint8_t *host;

        if (e->rows[1] != UINT32_MAX)
            address += operand_of(w, e->rows[1], lane, a->wide_address ? 8 : 4);
        if (!a->wide_address && e->rows[1] != UINT32_MAX)
            address = (uint32_t)address;
        ea[lane] = address;
        if (checks &&
            access_lane(w, in, lane, e->slot, e->space, address, a->bytes, false) == NULL)
            return NULL;
        host = access_lane(w, in, lane, e->slot, e->space, address, a->bytes, true);
        if (host == NULL)
            return NULL;
    }
    if (w->block->race != NULL)
        race_access(w, in,
                    &(struct race_request){.ea = ea,
                                           .bytes = a->bytes,
                                           .slot = e->slot,
                                           .space = e->space,
                                           .kind = RACE_ATOMIC});
    for (uint32_t m = w->mask; m != 0; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctz(m);
        uint8_t *host =
            access_lane(w, in, lane, e->slot, e->space, ea[lane], a->bytes, true);
        uint64_t b = operand_of(w, e->rows[2], lane, a->bytes), old;
        uint64_t c = operand_of(w, e->rows[3], lane, a->bytes);

        if (shared ||
            (e->space == PTX_SPACE_GENERIC && ea[lane] - SHARED_WINDOW < WINDOW_BYTES))
            old = update_alone(a, host, b, c);
        else
            old = update_atomically(a, host, b, c);
        if (e->rows[0] != UINT32_MAX)
            memcpy(w->regs + e->rows[0] + lane * a->bytes, &old, a->bytes);
        if (w->block->race != NULL)
            race_edges(w, a, lane, ea[lane], a->op != PTX_MOD_cas || old == b);
    }
    w->spinning |= a->op == PTX_MOD_cas || a->op == PTX_MOD_exch;
    count_atomic(w, a, ea, shared);
    return in + 1;
}

/* --- decoding ---------------------------------------------------------- */

static enum ptx_mod
operation_of(const struct ptx_insn *in)
{
    static const uint8_t ops[] = {PTX_MOD_add, PTX_MOD_exch, PTX_MOD_cas, PTX_MOD_min,
                                  PTX_MOD_max, PTX_MOD_and_, PTX_MOD_or_, PTX_MOD_xor_,
                                  PTX_MOD_inc, PTX_MOD_dec};

    for (size_t i = 0; i < sizeof ops; i++)
        if (ptx_has_mod(in, (enum ptx_mod)ops[i]))
            return (enum ptx_mod)ops[i];
    return PTX_MOD_UNKNOWN;
}

static int
decode_address(struct decoder *d, const struct ptx_operand *o, struct atomic *a)
{
    struct extra *e = &a->extra;
    uint64_t address;
    bool in_frame;
    uint32_t width;

    e->imm = o->offset;
    e->rows[1] = UINT32_MAX;
    a->wide_address = true;
    if (!o->is_address)
        return -1;
    if (o->kind == PTX_OPERAND_REG) {
        e->rows[1] = source_any(d, o, &width);
        a->wide_address = width == 8;
        return e->rows[1] != UINT32_MAX && (width == 4 || width == 8) ? 0 : -1;
    }
    if (o->kind != PTX_OPERAND_VAR ||
        (o->var->space == PTX_SPACE_SHARED && o->var->bytes == 0))
        return -1;
    if (variable_address(d, o->var, &address, &in_frame) != 0 || in_frame)
        return -1;
    e->imm += (int64_t)address;
    return 0;
}

/* The order of float additions shows in the result, and so does that of anything whose
 * old value is used: such kernels run their blocks in order. */
static bool
order_matters(const struct decoder *d, const struct ptx_insn *in, const struct atomic *a)
{
    bool used = in->op == PTX_OP_atom && in->operands[0].kind == PTX_OPERAND_REG &&
                d->mentions[in->operands[0].reg] > 1;
    enum ptx_class class = ptx_type_class(a->type);

    if (a->extra.space == PTX_SPACE_SHARED)
        return false;
    return used || a->op == PTX_MOD_exch || a->op == PTX_MOD_cas ||
           class == PTX_CLASS_FLOAT || class == PTX_CLASS_PACKED;
}

static bool
type_fits(enum ptx_mod op, enum ptx_type t)
{
    enum ptx_class class = ptx_type_class(t);
    bool is_float = class == PTX_CLASS_FLOAT || t == PTX_f16x2 || t == PTX_bf16x2;

    if (ptx_type_bytes(t) > 8 || ptx_type_bytes(t) < 2 ||
        (class == PTX_CLASS_PACKED && !is_float))
        return false;
    if (is_float)
        return op == PTX_MOD_add || op == PTX_MOD_exch;
    return ptx_type_bytes(t) >= 4 || op == PTX_MOD_cas;
}

bool
reduction_fits(enum ptx_mod op, enum ptx_type type)
{
    return op != PTX_MOD_UNKNOWN && op != PTX_MOD_exch && op != PTX_MOD_cas &&
           type_fits(op, type);
}

void
reduction_update(enum ptx_mod op, enum ptx_type type, bool global, uint8_t *host,
                 uint64_t value)
{
    struct atomic a = {.op = op, .type = type, .bytes = (uint8_t)ptx_type_bytes(type)};

    if (global)
        update_atomically(&a, host, value, 0);
    else
        update_alone(&a, host, value, 0);
}

int
decode_atomic(struct decoder *d, const struct ptx_insn *in)
{
    unsigned at = in->op == PTX_OP_atom ? 1 : 0;
    const struct ptx_operand *o = in->operands;
    struct atomic *a;
    struct extra *e;

    if ((in->op != PTX_OP_atom && in->op != PTX_OP_red) || in->type_count != 1 ||
        in->operand_count < at + 2u || ptx_has_mod(in, PTX_MOD_v2) ||
        ptx_has_mod(in, PTX_MOD_v4) || ptx_has_mod(in, PTX_MOD_async))
        return -1;
    a = kernel_alloc(d, sizeof *a);
    if (a == NULL)
        return -1;
    e = &a->extra;
    a->op = operation_of(in);
    a->type = (enum ptx_type)in->types[0];
    a->bytes = (uint8_t)ptx_type_bytes(a->type);
    a->releases =
        ptx_has_mod(in, PTX_MOD_release) || ptx_has_mod(in, PTX_MOD_acq_rel);
    e->space = insn_space(in);
    e->slot = site_new(d);
    if (a->op == PTX_MOD_UNKNOWN || !type_fits(a->op, a->type) ||
        decode_address(d, &o[at], a) != 0)
        return -1;
    e->rows[0] = at == 0 ? UINT32_MAX : destination(d, &o[0], a->bytes);
    e->rows[2] = source(d, &o[at + 1], a->type);
    e->rows[3] = UINT32_MAX;
    if (a->op == PTX_MOD_cas)
        e->rows[3] =
            in->operand_count > at + 2u ? source(d, &o[at + 2], a->type) : UINT32_MAX;
    if ((at == 1 && e->rows[0] == UINT32_MAX) || e->rows[2] == UINT32_MAX ||
        (a->op == PTX_MOD_cas && e->rows[3] == UINT32_MAX))
        return -1;
    if (order_matters(d, in, a))
        d->kernel->serial = true;
    emit(d, op_atomic)->extra = e;
    return 0;
}
