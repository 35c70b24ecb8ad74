/*
 * atom and red (PTX ISA 9.7.13.5, .6), lane by lane in the order of the lanes. All
 * workers access global memory, so the host's atomics are used there. Two atomics on
 * shared memory never meet, because one worker runs the whole block.
 */
#include "../cost/block_cost.h"
#include "../cost/count.h"
#include "../decode/families.h"
#include "../links.h"
#include "../order.h"
#include "../race/race.h"
#include "async.h"
#include "atomic_op.h"
#include "undefined.h"

#include <string.h>

/* Where the lane vectors of the result (UINT32_MAX: unused), of b and of c begin in the
 * extra. Each has as many as the operation has elements. */
enum { VECTOR_D = 0, VECTOR_B = 8, VECTOR_C = 16, MAX_ELEMENTS = 8 };

struct atomic {
    struct extra extra;
    struct atomic_op element;
    uint32_t address; /* lane vector; UINT32_MAX: none */
    uint8_t bytes;    /* of all elements */
    uint8_t elements; /* of a vector, each of which is atomic by itself; 2 for b128 */
    bool wide_address;
    bool releases; /* .release, .acq_rel */
    bool returns;  /* somebody uses the result */
    bool counts;   /* it adds 1 to a word, and nobody uses the result */
};

static const struct atomic *
atomic_of(const struct insn *in)
{
    return (const struct atomic *)(const void *)in->extra;
}

/* --- the warp's ---------------------------------------------------------- */

static bool
on_one_address(const uint64_t *ea, uint32_t mask)
{
    uint64_t first = ea[__builtin_ctz(mask)];

    for (uint32_t m = mask & (mask - 1); m != 0; m &= m - 1)
        if (ea[__builtin_ctz(m)] != first)
            return false;
    return true;
}

/* The largest number of lanes on one address, and the first lane on each. */
static unsigned
longest_chain(const uint64_t *ea, uint32_t mask, uint32_t *leaders)
{
    uint8_t table[64] = {0}, counts[LANES + 1];
    uint64_t keys[LANES + 1] = {0};
    unsigned n = 0, most = 0;

    *leaders = 0;
    if (on_one_address(ea, mask)) {
        *leaders = mask & -mask;
        return (unsigned)__builtin_popcount(mask);
    }
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

/* Do lanes that meet on one address make one update of memory? The sum of integers does
 * not depend on their order. Floats take turns, each with an update of its own. */
static bool
lanes_are_merged(const struct atomic *a)
{
    const enum ptx_class class = ptx_type_class(a->element.type);

    return class != PTX_CLASS_FLOAT && class != PTX_CLASS_PACKED;
}

/* Shared memory has units for words of integers. Another update is a loop of a load and
 * a compare-and-swap, in which each lane takes its turn. */
static bool
is_loop(const struct atomic *a)
{
    return a->element.op != PTX_MOD_exch && a->element.op != PTX_MOD_cas &&
           (a->element.bytes != 4 || !lanes_are_merged(a));
}

/* The wavefronts of a turn: two of a compare-and-swap, and one more of a loop's load. As
 * measured on an H200 (docs/measurements/emulator.md), and so are a turn's cycles. */
enum { WAVEFRONTS_CAS = 2, WAVEFRONTS_LOOP = 3, CYCLES_LOOP = 94 };

static unsigned
wavefronts_of_turn(const struct atomic *a)
{
    return is_loop(a)                     ? WAVEFRONTS_LOOP
           : a->element.op == PTX_MOD_cas ? WAVEFRONTS_CAS
                                          : 1;
}

/* ptxas makes one instruction of what adds 1, for which lanes on one word are one. */
static void
count_shared_atomic(struct warp *w, const struct atomic *a, const uint64_t *ea)
{
    unsigned turns;

    if (a->counts) {
        count_shared(w, a->extra.slot, ea, w->mask, a->bytes);
        return;
    }
    turns = count_shared_turns(w, a->extra.slot, ea, w->mask, a->bytes,
                               wavefronts_of_turn(a));
    if (is_loop(a))
        clock_delay(w, (uint64_t)turns * CYCLES_LOOP);
}

static void
count_atomic(struct warp *w, const struct atomic *a, const uint64_t *ea, bool shared)
{
    uint32_t slot = a->extra.slot;
    struct site_counts *c = site_counts(w, slot);
    uint32_t leaders;
    unsigned chain;

    if (shared) {
        count_shared_atomic(w, a, ea);
        return;
    }
    chain = longest_chain(ea, w->mask, &leaders);
    count_atomics(w, slot, ea, w->mask, lanes_are_merged(a) ? leaders : w->mask);
    c->atomic_serial += chain;
    c->global_load_bytes += (uint64_t)a->bytes * (uint64_t)__builtin_popcount(w->mask);
    c->global_store_bytes += (uint64_t)a->bytes * (uint64_t)__builtin_popcount(w->mask);
}

static uint64_t
operand_of(const struct warp *w, uint32_t vector, unsigned lane, unsigned bytes)
{
    uint64_t v = 0;

    if (vector != UINT32_MAX)
        memcpy(&v, w->regs + vector + lane * bytes, bytes);
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
        race_release(w, lane, address, a->releases ? RACE_EVERYTHING : RACE_IF_FENCED);
}

/* exch and cas of b128. Kernels with them run their blocks one after the other
 * (order_matters), so nothing comes between. */
static void
update_both(const struct atomic *a, uint8_t *host, const uint64_t *b, const uint64_t *c,
            uint64_t *old)
{
    memcpy(old, host, 16);
    if (a->element.op == PTX_MOD_exch)
        memcpy(host, b, 16);
    else if (memcmp(old, b, 16) == 0)
        memcpy(host, c, 16);
}

/* Executes one lane's operation. Returns whether it may have written. */
static bool
update_lane(struct warp *w, const struct atomic *a, unsigned lane, uint8_t *host,
            bool alone)
{
    const uint32_t *vectors = a->extra.vectors;
    unsigned bytes = a->element.bytes;
    uint64_t b[MAX_ELEMENTS] = {0}, c[MAX_ELEMENTS] = {0}, old[MAX_ELEMENTS] = {0};

    for (unsigned i = 0; i < a->elements; i++) {
        b[i] = operand_of(w, vectors[VECTOR_B + i], lane, bytes);
        c[i] = operand_of(w, vectors[VECTOR_C + i], lane, bytes);
    }
    if (a->element.type == PTX_b128) {
        update_both(a, host, b, c, old);
    } else {
        for (unsigned i = 0; i < a->elements; i++)
            old[i] =
                alone ? atomic_update_alone(&a->element, host + i * bytes, b[i], c[i])
                      : atomic_update_together(&a->element, host + i * bytes, b[i], c[i]);
    }
    for (unsigned i = 0; i < a->elements; i++)
        if (vectors[VECTOR_D + i] != UINT32_MAX)
            memcpy(w->regs + vectors[VECTOR_D + i] + lane * bytes, &old[i], bytes);
    return a->element.op != PTX_MOD_cas || old[0] == b[0];
}

static uint64_t
address_of(const struct warp *w, const struct atomic *a, unsigned lane)
{
    uint64_t address = (uint64_t)a->extra.imm;

    if (a->address != UINT32_MAX)
        address += operand_of(w, a->address, lane, a->wide_address ? 8 : 4);
    return a->wide_address || a->address == UINT32_MAX ? address : (uint32_t)address;
}

/* Do two executions of the lanes give an atomic other operands? Their registers are the
 * warp's and `other`. */
bool
atomic_differs(struct warp *w, const struct insn *in, uint8_t *other, uint32_t mask)
{
    const struct atomic *a = atomic_of(in);
    const uint32_t *vectors = a->extra.vectors;
    uint64_t operands[2][2 * MAX_ELEMENTS + 1] = {{0}};
    uint8_t *regs = w->regs;

    for (uint32_t m = mask; m != 0; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctz(m), bytes = a->element.bytes;

        for (unsigned k = 0; k < 2; k++) {
            w->regs = k == 0 ? regs : other;
            operands[k][0] = address_of(w, a, lane);
            for (unsigned i = 0; i < a->elements; i++) {
                operands[k][1 + i] = operand_of(w, vectors[VECTOR_B + i], lane, bytes);
                operands[k][1 + MAX_ELEMENTS + i] =
                    operand_of(w, vectors[VECTOR_C + i], lane, bytes);
            }
        }
        w->regs = regs;
        if (memcmp(operands[0], operands[1], sizeof operands[0]) != 0)
            return true;
    }
    return false;
}

/* Copies what the atomic has returned from the warp's registers to others. */
void
atomic_copy_results(const struct warp *w, const struct insn *in, uint8_t *to,
                    uint32_t mask)
{
    const struct atomic *a = atomic_of(in);

    for (unsigned i = 0; i < a->elements; i++) {
        uint32_t vector = a->extra.vectors[VECTOR_D + i], bytes = a->element.bytes;

        for (uint32_t m = mask; vector != UINT32_MAX && m != 0; m &= m - 1) {
            size_t at = vector + (size_t)__builtin_ctz(m) * bytes;

            memcpy(to + at, w->regs + at, bytes);
        }
    }
}

/* Updates beside which a plain look is no mistake: see the head of race.c. */
static bool
may_be_watched(const struct atomic *a)
{
    switch (a->element.op) {
    case PTX_MOD_cas:
    case PTX_MOD_exch:
    case PTX_MOD_min:
    case PTX_MOD_max:
    case PTX_MOD_and_:
    case PTX_MOD_or_:
        return a->bytes == 4 || a->bytes == 8;
    default:
        return false;
    }
}

static const struct insn *
op_atomic(struct warp *w, const struct insn *in)
{
    const struct atomic *a = atomic_of(in);
    const struct extra *e = &a->extra;
    uint64_t ea[LANES];
    uint8_t *hosts[LANES];
    bool shared = e->space == PTX_SPACE_SHARED, checks = w->worker->run->checks;

    for (uint32_t m = w->mask; m != 0; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctz(m);
        uint64_t address = address_of(w, a, lane);
        uint8_t *host;

        ea[lane] = address;
        if (checks &&
            access_lane(w, in, lane, e->slot, e->space, address, a->bytes, false) == NULL)
            return NULL;
        host = access_lane(w, in, lane, e->slot, e->space, address, a->bytes, true);
        if (host == NULL)
            return NULL;
        hosts[lane] = host;
        links_any(w, e->slot, e->space, address, a->bytes, LINKS_UPDATE);
    }
    if (w->block->race != NULL)
        race_access(w, in,
                    &(struct race_request){.ea = ea,
                                           .bytes = a->bytes,
                                           .slot = e->slot,
                                           .space = e->space,
                                           .kind = RACE_ATOMIC,
                                           .quiet = may_be_watched(a)});
    for (uint32_t m = w->mask; m != 0; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctz(m);
        bool alone = shared || (e->space == PTX_SPACE_GENERIC &&
                                ea[lane] - SHARED_WINDOW < WINDOW_BYTES);
        bool writes = update_lane(w, a, lane, hosts[lane], alone);

        if (w->block->race != NULL)
            race_edges(w, a, lane, ea[lane], writes);
    }
    w->spinning |= a->element.op == PTX_MOD_cas || a->element.op == PTX_MOD_exch;
    count_atomic(w, a, ea, shared);
    return in + 1;
}

/* The most common case: 4 bytes of the block's own shared memory, and no checks.
 * op_atomic() does all else, faults too. */
static const struct insn *
op_atomic_shared(struct warp *w, const struct insn *in)
{
    const struct atomic *a = atomic_of(in);
    const uint32_t *vectors = a->extra.vectors;
    const struct block *b = w->block;
    uint64_t ea[LANES], wrong = b->race != NULL || b->shared_shadow != NULL;

    for (uint32_t m = w->mask; m != 0; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctz(m);

        ea[lane] = address_of(w, a, lane);
        wrong |=
            (ea[lane] & 3) | (ea[lane] + 4 > b->shared_bytes || ea[lane] > UINT32_MAX);
    }
    if (wrong != 0)
        return op_atomic(w, in);
    for (uint32_t m = w->mask; m != 0; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctz(m);
        uint32_t *p = (uint32_t *)(void *)(b->shared + ea[lane]), old = *p;

        if (w->worker->run->links_shared)
            links_update(w, a->extra.slot, PTX_SPACE_SHARED, ea[lane], 4);
        *p = (uint32_t)atomic_combine(&a->element, old,
                                      operand_of(w, vectors[VECTOR_B], lane, 4),
                                      operand_of(w, vectors[VECTOR_C], lane, 4));
        if (vectors[VECTOR_D] != UINT32_MAX)
            memcpy(w->regs + vectors[VECTOR_D] + lane * 4, &old, 4);
    }
    w->spinning |= a->element.op == PTX_MOD_cas || a->element.op == PTX_MOD_exch;
    count_atomic(w, a, ea, true);
    return in + 1;
}

/* An atomic that is held until its turn (order.h). */
static const struct insn *
op_ordered_atomic(struct warp *w, const struct insn *in)
{
    const struct atomic *a = atomic_of(in);
    uint64_t addresses[LANES] = {0},
             sectors = site_counts(w, a->extra.slot)->global_sectors;
    const struct insn *next;

    if (!w->worker->run->in_order)
        return a->extra.plain(w, in);
    if (order_holds(w, in))
        return NULL;
    for (uint32_t m = w->mask; m != 0; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctz(m);

        addresses[lane] = address_of(w, a, lane);
        if (a->extra.space == PTX_SPACE_SHARED)
            addresses[lane] += SHARED_WINDOW;
    }
    next = a->extra.plain(w, in);
    if (next == NULL)
        return NULL;
    sectors = site_counts(w, a->extra.slot)->global_sectors - sectors;
    if (a->returns) {
        order_polls(w, in, addresses[__builtin_ctz(w->mask)], sectors);
        order_take(w, addresses, w->mask);
    }
    order_stamp(w, addresses, w->mask);
    return next;
}

/* --- decoding ---------------------------------------------------------- */

static enum ptx_mod
operation_of(struct decoder *d, const struct ptx_insn *in)
{
    return MOD_READ_ANY(d, in, PTX_MOD_add, PTX_MOD_exch, PTX_MOD_cas, PTX_MOD_min,
                        PTX_MOD_max, PTX_MOD_and_, PTX_MOD_or_, PTX_MOD_xor_, PTX_MOD_inc,
                        PTX_MOD_dec);
}

static int
decode_address(struct decoder *d, const struct ptx_operand *o, struct atomic *a)
{
    struct extra *e = &a->extra;
    uint64_t address;
    bool in_frame;
    uint32_t width;

    e->imm = o->offset;
    a->address = UINT32_MAX;
    a->wide_address = true;
    if (!o->is_address)
        return -1;
    address_read(d, o);
    if (o->kind == PTX_OPERAND_REG) {
        a->address = source_any(d, o, &width);
        a->wide_address = width == 8;
        return a->address != UINT32_MAX && (width == 4 || width == 8) ? 0 : -1;
    }
    if (o->kind == PTX_OPERAND_INT) {
        e->imm += (int64_t)o->bits;
        return 0;
    }
    if (o->kind != PTX_OPERAND_VAR)
        return -1;
    if (o->var->space == PTX_SPACE_SHARED && (o->var->bytes == 0 || o->var->is_extern)) {
        struct ptx_operand base = {.kind = PTX_OPERAND_VAR, .var = o->var};

        a->wide_address = false;
        a->address = source(d, &base, PTX_u32);
        return a->address != UINT32_MAX ? 0 : -1;
    }
    if (variable_address(d, o->var, &address, &in_frame) != 0 || in_frame)
        return -1;
    e->imm += (int64_t)address;
    return 0;
}

/* Does anybody use the old value? */
static bool
is_used(const struct decoder *d, const struct ptx_insn *in)
{
    return in->op == PTX_OP_atom && (in->operands[0].kind == PTX_OPERAND_LIST ||
                                     (in->operands[0].kind == PTX_OPERAND_REG &&
                                      mentions_of(d, in->operands[0].reg) > 1));
}

/* Does the order of the operations show in a result? The order of additions of floats
 * does, and that of all operations whose old value is used. A kernel with these runs its
 * blocks in order. */
static bool
order_matters(const struct atomic *a)
{
    enum ptx_class class = ptx_type_class(a->element.type);

    if (a->extra.space == PTX_SPACE_SHARED)
        return false;
    return a->returns || a->element.op == PTX_MOD_exch || a->element.op == PTX_MOD_cas ||
           class == PTX_CLASS_FLOAT || class == PTX_CLASS_PACKED;
}

static bool
type_fits(const struct atomic *a, bool vector)
{
    enum ptx_type t = a->element.type;

    if (vector) /* 9.7.13.5: .v2, .v4 and .v8 up to 16 bytes */
        return a->bytes <= 16 &&
               (atomic_is_half(t)
                    ? a->element.op == PTX_MOD_add || a->element.op == PTX_MOD_min ||
                          a->element.op == PTX_MOD_max
                    : t == PTX_f32 && a->element.op == PTX_MOD_add);
    if (t == PTX_b128)
        return a->element.op == PTX_MOD_exch || a->element.op == PTX_MOD_cas;
    return atomic_fits(&a->element);
}

/* Counters are most often counted up so. */
static bool
is_count(const struct atomic *a, const struct ptx_operand *b)
{
    return a->element.op == PTX_MOD_add && a->bytes == 4 && a->elements == 1 &&
           lanes_are_merged(a) && !a->returns && b->kind == PTX_OPERAND_INT &&
           b->bits == 1;
}

/* The lane vectors of an operand of one or several elements. */
static int
decode_elements(struct decoder *d, const struct ptx_operand *o, const struct atomic *a,
                bool is_result, uint32_t *vectors)
{
    const struct ptx_operand *list = o->kind == PTX_OPERAND_LIST ? o->list : o;
    uint32_t count = o->kind == PTX_OPERAND_LIST ? o->count : 1;
    enum ptx_type type = a->element.type == PTX_b128 ? PTX_b64 : a->element.type;

    if (is_result && o->kind == PTX_OPERAND_SINK)
        return 0; /* unused */
    if (count != a->elements)
        return -1;
    for (uint32_t i = 0; i < count; i++) {
        vectors[i] = is_result ? destination(d, &list[i], a->element.bytes)
                     : o->kind == PTX_OPERAND_LIST ? element(d, &list[i], type)
                                                   : source(d, o, type);
        if (vectors[i] == UINT32_MAX)
            return -1;
    }
    return 0;
}

static void
decode_shape(struct decoder *d, const struct ptx_insn *in, struct atomic *a)
{
    enum ptx_mod vector = MOD_READ_ANY(d, in, PTX_MOD_v2, PTX_MOD_v4, PTX_MOD_v8);

    a->element.op = operation_of(d, in);
    a->element.type = type_read(d, in, 0);
    a->elements = vector == PTX_MOD_v2   ? 2
                  : vector == PTX_MOD_v4 ? 4
                  : vector == PTX_MOD_v8 ? 8
                                         : 1;
    if (atomic_is_half(a->element.type))
        (void)mod_read(d, in, PTX_MOD_noftz); /* 9.7.13.5: they keep subnormals */
    a->bytes = (uint8_t)(a->elements * ptx_type_bytes(a->element.type));
    if (a->element.type == PTX_b128)
        a->elements *= 2;
    a->element.bytes = (uint8_t)(a->bytes / a->elements);
    a->releases = ptx_has_mod(in, PTX_MOD_release) || ptx_has_mod(in, PTX_MOD_acq_rel);
}

int
decode_atomic(struct decoder *d, const struct ptx_insn *in)
{
    unsigned at = in->op == PTX_OP_atom ? 1 : 0, policy;
    const struct ptx_operand *o = in->operands;
    struct atomic *a;
    struct extra *e;
    bool vector;

    if (mod_read(d, in, PTX_MOD_async))
        return decode_store_async(d, in);
    if (in->type_count != 1)
        return -1;
    a = kernel_alloc(d, sizeof *a);
    if (a == NULL)
        return -1;
    e = &a->extra;
    memset(e->vectors, 0xff, sizeof e->vectors);
    decode_shape(d, in, a);
    vector = ptx_has_mod(in, PTX_MOD_v2) || ptx_has_mod(in, PTX_MOD_v4) ||
             ptx_has_mod(in, PTX_MOD_v8);
    e->space = access_space(d, in, &o[at]);
    if (e->space != PTX_SPACE_GLOBAL && e->space != PTX_SPACE_SHARED &&
        e->space != PTX_SPACE_GENERIC)
        return -1;
    e->slot = site_new(d);
    if (at == 0 || o[0].kind != PTX_OPERAND_REG || mentions_of(d, o[0].reg) <= 1)
        site_no_wait(d, e->slot); /* as critical.c sees it */
    if (a->element.op == PTX_MOD_UNKNOWN || !type_fits(a, vector) ||
        decode_address(d, &o[at], a) != 0)
        return -1;
    if ((at == 1 && decode_elements(d, &o[0], a, true, &e->vectors[VECTOR_D]) != 0) ||
        decode_elements(d, &o[at + 1], a, false, &e->vectors[VECTOR_B]) != 0)
        return -1;
    if (a->element.op == PTX_MOD_cas &&
        (in->operand_count < at + 3u ||
         decode_elements(d, &o[at + 2], a, false, &e->vectors[VECTOR_C]) != 0))
        return -1;
    policy = at + (a->element.op == PTX_MOD_cas ? 3u : 2u);
    if (in->operand_count > policy && mod_read(d, in, PTX_MOD_l2_cache_hint))
        hints_read(d, in, policy, policy + 1);
    a->returns = is_used(d, in);
    a->counts = is_count(a, &o[at + 1]);
    if (e->space == PTX_SPACE_SHARED)
        site_wavefronts(d, e->slot, wavefronts_of_turn(a));
    if (order_matters(a))
        kernel_of(d)->serial = true;
    if (a->returns && e->space == PTX_SPACE_SHARED)
        kernel_of(d)->shared_flags = true;
    emit(d, e->space == PTX_SPACE_SHARED && a->bytes == 4 && a->elements == 1
                ? op_atomic_shared
                : op_atomic)
        ->extra = e;
    order_note(d, e->space, e, &e->plain, op_ordered_atomic);
    return 0;
}
