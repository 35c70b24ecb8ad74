/*
 * What the asynchronous proxy does: cp.async.bulk and cp.reduce.async.bulk (PTX ISA
 * 9.7.9.25.4, .5), st.async (9.7.9.12) and red.async (9.7.13.7). The last two store to
 * another block's shared memory, and an mbarrier counts their bytes.
 *
 * What is copied from global to shared memory lands when its mbarrier is tested
 * (flight.c). All else is done at once, which the rules allow. Tensor copies
 * (cp.async.bulk.tensor) need a tensor map, which only the driver API makes. They are
 * refused by name.
 */
#include "../cluster.h"
#include "../cost/count.h"
#include "../decode/families.h"
#include "../links.h"
#include "../race/race.h"
#include "../warp_fault.h"
#include "async.h"
#include "atomic_op.h"
#include "ordered.h"

#include <string.h>

enum { TO, FROM, SIZE, BARRIER, BLOCKS, BYTE_MASK, OPERANDS };
enum { UNIT = 16 }; /* bytes; a bulk copy is a multiple of it */

struct bulk {
    struct extra extra; /* lane vectors, by the enum above; UINT32_MAX: none */
    int64_t offset[OPERANDS];
    enum ptx_space to, from; /* SHARED means that of the cluster */
    enum ptx_mod op;         /* of a reduction; UNKNOWN: a copy */
    enum ptx_type type;
    unsigned
        elements; /* st.async: how many values there are, from lane vector OPERANDS on */
};

static const struct bulk *
bulk_of(const struct insn *in)
{
    return (const struct bulk *)(const void *)in->extra;
}

static uint64_t
operand(const struct warp *w, const struct bulk *b, unsigned i, unsigned lane)
{
    const struct extra *e = &b->extra;
    uint64_t v = 0;

    memcpy(&v, w->regs + e->vectors[i] + lane * e->widths[i], e->widths[i]);
    return v + (i < OPERANDS ? (uint64_t)b->offset[i] : 0);
}

/* Tells the race detector of the copy, 16 bytes at a time. */
static void
race_range(struct warp *w, const struct insn *in, unsigned lane, enum ptx_space space,
           uint64_t address, uint32_t bytes, enum race_kind kind)
{
    uint64_t ea[LANES] = {0};
    uint32_t mask = w->mask;
    struct race_request q = {.ea = ea,
                             .bytes = bytes < UNIT ? bytes : UNIT,
                             .slot = in->extra->slot,
                             .space = space,
                             .kind = kind};

    links_any(w, in->extra->slot, space, address, bytes,
              kind == RACE_READ    ? LINKS_READ
              : kind == RACE_WRITE ? LINKS_WRITE
                                   : LINKS_UPDATE);
    if (w->block->race == NULL)
        return;
    w->mask = 1u << lane;
    for (uint32_t at = 0; at < bytes; at += UNIT) {
        ea[lane] = address + at;
        race_access(w, in, &q);
    }
    w->mask = mask;
}

/* --- bulk copies --------------------------------------------------------- */

/* Reduces each element of one unit. */
static void
reduce_unit(const struct bulk *b, uint8_t *to, const uint8_t *from)
{
    unsigned bytes = ptx_type_bytes(b->type);

    for (unsigned at = 0; at < UNIT; at += bytes) {
        uint64_t v = 0;

        memcpy(&v, from + at, bytes);
        reduction_update(b->op, b->type, b->to == PTX_SPACE_GLOBAL, to + at, v);
    }
}

/* Does the copy land only when its mbarrier is tested? What comes from shared memory is
 * there soon. */
static bool
is_flight(const struct bulk *b)
{
    return b->from == PTX_SPACE_GLOBAL && b->to == PTX_SPACE_SHARED &&
           b->op == PTX_MOD_UNKNOWN;
}

/* The warp waits for a copy that it makes at once, as for a load. */
static void
copy_await(struct warp *w)
{
    clock_settle(w);
    clock_add_miss(&w->path_clock);
}

/* Makes one lane's copy to one place. false: the warp has its fault. */
static bool
copy_range(struct warp *w, const struct insn *in, unsigned lane, uint64_t to,
           uint64_t from, uint32_t size, const uint8_t *barrier)
{
    const struct bulk *b = bulk_of(in);
    uint32_t slot = b->extra.slot;
    uint32_t bytes = b->extra.vectors[BYTE_MASK] != UINT32_MAX
                         ? (uint32_t)operand(w, b, BYTE_MASK, lane)
                         : UINT16_MAX;
    uint8_t *flight = NULL;

    race_range(w, in, lane, b->from, from, size, RACE_READ);
    race_range(w, in, lane, b->to, to, size,
               b->op != PTX_MOD_UNKNOWN ? RACE_ATOMIC : RACE_WRITE);
    for (uint32_t at = 0; at < size; at += UNIT) {
        uint8_t unit[UNIT], *host;
        const uint8_t *source =
            access_lane(w, in, lane, slot, b->from, from + at, UNIT, false);

        if (source == NULL)
            return false;
        memcpy(unit, source, UNIT);
        host = access_lane(w, in, lane, slot, b->to, to + at, UNIT, true);
        if (host == NULL)
            return false;
        if (at == 0 && barrier != NULL && is_flight(b)) {
            flight = flight_begin(w, barrier, host, size);
            if (flight == NULL)
                copy_await(w);
        }
        if (flight != NULL) {
            memcpy(flight + at, unit, UNIT);
            continue;
        }
        if (b->op != PTX_MOD_UNKNOWN) {
            reduce_unit(b, host, unit);
            continue;
        }
        for (unsigned i = 0; i < UNIT; i++)
            if ((bytes >> i & 1) != 0)
                host[i] = unit[i];
    }
    return true;
}

static void
count_bulk(struct warp *w, const struct bulk *b, uint64_t to, uint64_t from,
           uint32_t size)
{
    struct site_counts *c = site_counts(w, b->extra.slot);

    if (b->from == PTX_SPACE_GLOBAL) {
        count_global_range(w, b->extra.slot, from, size);
        c->global_load_bytes += size;
    } else {
        c->shared_requests++;
        c->shared_wavefronts += (size + 127) / 128;
    }
    if (b->to == PTX_SPACE_GLOBAL) {
        if (b->op == PTX_MOD_UNKNOWN)
            count_global_range(w, b->extra.slot, to, size);
        else
            count_atomic_range(w, b->extra.slot, to, size, ptx_type_bytes(b->type));
        c->global_store_bytes += size;
    } else {
        c->shared_requests++;
        c->shared_wavefronts += (size + 127) / 128;
    }
}

/* Makes the copy and tells its mbarrier, in one block, or at the same offsets in all
 * blocks of a mask. */
static bool
run_bulk(struct warp *w, const struct insn *in, unsigned lane)
{
    const struct bulk *b = bulk_of(in);
    const uint32_t *vectors = b->extra.vectors;
    uint64_t to = operand(w, b, TO, lane), from = operand(w, b, FROM, lane);
    uint32_t size = (uint32_t)operand(w, b, SIZE, lane), blocks = 1;
    uint64_t barrier = vectors[BARRIER] != UINT32_MAX ? operand(w, b, BARRIER, lane) : 0;
    bool multicast = vectors[BLOCKS] != UINT32_MAX;

    if (size % UNIT != 0) {
        fault_at(w, in, lane, FAULT_MISALIGNED,
                 "copies %u bytes in bulk; it must be a multiple of 16", size);
        return false;
    }
    if (multicast)
        blocks = (uint32_t)operand(w, b, BLOCKS, lane) & UINT16_MAX;
    for (uint32_t m = blocks; m != 0; m &= m - 1) {
        uint64_t base = ((uint64_t)__builtin_ctz(m) + 1) * CLUSTER_STEP;
        uint64_t t = multicast ? base + to % CLUSTER_STEP : to;
        uint64_t bar = multicast ? base + barrier % CLUSTER_STEP : barrier;

        const uint8_t *object = NULL;

        if (vectors[BARRIER] != UINT32_MAX) {
            object =
                access_lane(w, in, lane, b->extra.slot, PTX_SPACE_SHARED, bar, 8, false);
            if (object == NULL)
                return false;
        }
        if (!copy_range(w, in, lane, t, from, size, object) ||
            (object != NULL && !mbarrier_complete(w, in, lane, b->extra.slot, bar, size)))
            return false;
    }
    count_bulk(w, b, to, from, size);
    return true;
}

static const struct insn *
op_bulk(struct warp *w, const struct insn *in)
{
    for (uint32_t m = w->mask; m != 0; m &= m - 1)
        if (!run_bulk(w, in, (unsigned)__builtin_ctz(m)))
            return NULL;
    return in + 1;
}

/* --- st.async, red.async ------------------------------------------------- */

static bool
run_store(struct warp *w, const struct insn *in, unsigned lane)
{
    const struct bulk *b = bulk_of(in);
    uint64_t to = operand(w, b, TO, lane), barrier = operand(w, b, BARRIER, lane);
    uint32_t bytes = ptx_type_bytes(b->type), all = bytes * b->elements;
    uint8_t *host;

    if (b->to == PTX_SPACE_GENERIC) {
        to -= SHARED_WINDOW;
        barrier -= SHARED_WINDOW;
    }
    race_range(w, in, lane, PTX_SPACE_SHARED, to, all,
               b->op != PTX_MOD_UNKNOWN ? RACE_ATOMIC : RACE_WRITE);
    host = access_lane(w, in, lane, b->extra.slot, PTX_SPACE_SHARED, to, all, true);
    if (host == NULL)
        return false;
    for (unsigned i = 0; i < b->elements; i++) {
        uint64_t v = operand(w, b, OPERANDS + i, lane);

        if (b->op != PTX_MOD_UNKNOWN)
            reduction_update(b->op, b->type, false, host, v);
        else
            memcpy(host + (size_t)i * bytes, &v, bytes);
    }
    site_counts(w, b->extra.slot)->shared_wavefronts++;
    return mbarrier_complete(w, in, lane, b->extra.slot, barrier, all);
}

static const struct insn *
op_store_async(struct warp *w, const struct insn *in)
{
    site_counts(w, in->extra->slot)->shared_requests++;
    for (uint32_t m = w->mask; m != 0; m &= m - 1)
        if (!run_store(w, in, (unsigned)__builtin_ctz(m)))
            return NULL;
    return in + 1;
}

/* --- st.bulk (9.7.9.14) --------------------------------------------------- */

enum { ZEROS = 8 }; /* bytes; the size is a multiple of it */

static bool
run_zeros(struct warp *w, const struct insn *in, unsigned lane)
{
    const struct bulk *b = bulk_of(in);
    uint64_t to = operand(w, b, TO, lane), size = operand(w, b, SIZE, lane);

    if (b->to == PTX_SPACE_GENERIC)
        to -= SHARED_WINDOW;
    if (size % ZEROS != 0 || size > UINT32_MAX) {
        fault_at(w, in, lane, FAULT_MISALIGNED,
                 "fills %llu bytes in bulk; it must be a multiple of 8",
                 (unsigned long long)size);
        return false;
    }
    for (uint64_t at = 0; at < size; at += ZEROS) {
        uint8_t *host = access_lane(w, in, lane, b->extra.slot, PTX_SPACE_SHARED, to + at,
                                    ZEROS, true);

        if (host == NULL)
            return false;
        race_range(w, in, lane, PTX_SPACE_SHARED, to + at, ZEROS, RACE_WRITE);
        memset(host, 0, ZEROS);
    }
    site_counts(w, b->extra.slot)->shared_wavefronts += (size + 127) / 128;
    return true;
}

static const struct insn *
op_store_bulk(struct warp *w, const struct insn *in)
{
    site_counts(w, in->extra->slot)->shared_requests++;
    for (uint32_t m = w->mask; m != 0; m &= m - 1)
        if (!run_zeros(w, in, (unsigned)__builtin_ctz(m)))
            return NULL;
    return in + 1;
}

static const struct insn *
op_nothing(struct warp *w, const struct insn *in)
{
    (void)w;
    return in + 1;
}

/* --- decoding ------------------------------------------------------------ */

/* Decodes the state spaces of destination and source, which are in this order. */
static int
decode_spaces(struct decoder *d, const struct ptx_insn *in, struct bulk *b)
{
    unsigned found = 0;

    for (unsigned i = 0; i < in->mod_count; i++) {
        bool shared = in->mods[i] == PTX_MOD_shared_cta ||
                      in->mods[i] == PTX_MOD_shared_cluster ||
                      in->mods[i] == PTX_MOD_shared;
        enum ptx_space space = shared ? PTX_SPACE_SHARED : PTX_SPACE_GLOBAL;

        if (!shared && in->mods[i] != PTX_MOD_global)
            continue;
        mod_read_at(d, i);
        if (found == 0)
            b->to = space;
        else
            b->from = space;
        found++;
    }
    return found == 2 && (b->to != b->from || b->to == PTX_SPACE_SHARED) ? 0 : -1;
}

static int
decode_value(struct decoder *d, const struct ptx_operand *o, enum ptx_type type,
             struct bulk *b, unsigned i)
{
    b->extra.vectors[i] = source(d, o, type);
    b->extra.widths[i] = (uint8_t)ptx_type_bytes(type);
    return b->extra.vectors[i] != UINT32_MAX ? 0 : -1;
}

static struct bulk *
new_bulk(struct decoder *d)
{
    struct bulk *b = kernel_alloc(d, sizeof *b);

    if (b == NULL)
        return NULL;
    memset(b->extra.vectors, 0xff, sizeof b->extra.vectors);
    b->extra.slot = site_new(d);
    site_no_wait(d, b->extra.slot);
    return b;
}

static enum ptx_mod
reduction_of(struct decoder *d, const struct ptx_insn *in)
{
    return MOD_READ_ANY(d, in, PTX_MOD_add, PTX_MOD_min, PTX_MOD_max, PTX_MOD_inc,
                        PTX_MOD_dec, PTX_MOD_and_, PTX_MOD_or_, PTX_MOD_xor_);
}

/* Decodes what cp.reduce does with each element. */
static int
decode_reduction(struct decoder *d, const struct ptx_insn *in, struct bulk *b)
{
    b->op = reduction_of(d, in);
    b->type = type_read(d, in, 0);
    if (atomic_is_half(b->type) && b->op == PTX_MOD_add)
        (void)mod_read(d, in, PTX_MOD_noftz); /* 9.7.9.25: they keep subnormals */
    if (in->type_count != 1 || !reduction_fits(b->op, b->type))
        return -1;
    if (b->to == PTX_SPACE_GLOBAL) /* the order of the blocks may show */
        kernel_of(d)->serial = true;
    return 0;
}

/* [dst], [src], size {, [mbar] {, ctaMask}} {, cache-policy} {, byteMask} */
static int
decode_bulk(struct decoder *d, const struct ptx_insn *in)
{
    const struct ptx_operand *o = in->operands;
    bool by_barrier = mod_read(d, in, PTX_MOD_complete_tx_bytes);
    bool multicast = mod_read(d, in, PTX_MOD_multicast_cluster);
    bool by_byte = mod_read(d, in, PTX_MOD_cp_mask);
    unsigned n = 3, hint = mod_read(d, in, PTX_MOD_l2_cache_hint);
    unsigned wanted = 3u + by_barrier + multicast + hint + by_byte;
    struct bulk *b = new_bulk(d);

    if (b == NULL || in->operand_count != wanted || decode_spaces(d, in, b) != 0 ||
        (!by_barrier && !mod_read(d, in, PTX_MOD_bulk_group)) ||
        by_barrier != (b->to == PTX_SPACE_SHARED) || (multicast && !by_barrier) ||
        decode_pointer(d, &o[0], &b->extra, TO, &b->offset[TO]) != 0 ||
        decode_pointer(d, &o[1], &b->extra, FROM, &b->offset[FROM]) != 0 ||
        decode_value(d, &o[2], PTX_u32, b, SIZE) != 0)
        return -1;
    if (by_barrier &&
        decode_pointer(d, &o[n++], &b->extra, BARRIER, &b->offset[BARRIER]) != 0)
        return -1;
    if (multicast && decode_value(d, &o[n++], PTX_u16, b, BLOCKS) != 0)
        return -1;
    hints_read(d, in, n, n + hint);
    n += hint;
    if (by_byte && decode_value(d, &o[n], PTX_u16, b, BYTE_MASK) != 0)
        return -1;
    if (mod_read(d, in, PTX_MOD_reduce) && decode_reduction(d, in, b) != 0)
        return -1;
    if (b->from == PTX_SPACE_GLOBAL) /* the copy engine asks L2 */
        site_past_l1(d, b->extra.slot);
    emit(d, op_bulk)->extra = &b->extra;
    order_note(d, b->to, &b->extra, &b->extra.plain, op_ordered_other);
    return 0;
}

/* st.bulk{.weak}{.shared::cta} [a], size, 0 */
int
decode_store_bulk(struct decoder *d, const struct ptx_insn *in)
{
    const struct ptx_operand *o = in->operands;
    struct bulk *b = new_bulk(d);

    if (b == NULL || in->operand_count != 3 || in->type_count != 0 ||
        o[2].kind != PTX_OPERAND_INT || o[2].bits != 0)
        return -1;
    operand_read(d, &o[2], OPERAND_VALUE);
    b->to = access_space(d, in, &o[0]);
    if ((b->to != PTX_SPACE_SHARED && b->to != PTX_SPACE_GENERIC) ||
        decode_pointer(d, &o[0], &b->extra, TO, &b->offset[TO]) != 0 ||
        decode_value(d, &o[1], PTX_b64, b, SIZE) != 0)
        return -1;
    emit(d, op_store_bulk)->extra = &b->extra;
    order_note(d, b->to, &b->extra, &b->extra.plain, op_ordered_other);
    return 0;
}

/* st.async [a], b, [mbar]; red.async likewise */
int
decode_store_async(struct decoder *d, const struct ptx_insn *in)
{
    const struct ptx_operand *o = in->operands;
    const struct ptx_operand *list = o[1].kind == PTX_OPERAND_LIST ? o[1].list : &o[1];
    struct bulk *b = new_bulk(d);

    if (b == NULL || in->operand_count != 3 || in->type_count != 1 ||
        !mod_read(d, in, PTX_MOD_complete_tx_bytes))
        return -1;
    b->to = access_space(d, in, &o[0]);
    b->type = type_read(d, in, 0);
    b->elements = o[1].kind == PTX_OPERAND_LIST ? o[1].count : 1;
    if ((b->elements == 2 && !mod_read(d, in, PTX_MOD_v2)) ||
        (b->elements == 4 && !mod_read(d, in, PTX_MOD_v4)))
        return -1;
    if (ptx_type_bytes(b->type) < 4 || ptx_type_bytes(b->type) > 8 || b->elements == 0 ||
        b->elements > 4 || (b->elements & (b->elements - 1)) != 0 ||
        (b->to != PTX_SPACE_SHARED && b->to != PTX_SPACE_GENERIC))
        return -1;
    if (in->op == PTX_OP_red) {
        b->op = reduction_of(d, in);
        if (b->elements != 1 || !reduction_fits(b->op, b->type))
            return -1;
    }
    if (decode_pointer(d, &o[0], &b->extra, TO, &b->offset[TO]) != 0 ||
        decode_pointer(d, &o[2], &b->extra, BARRIER, &b->offset[BARRIER]) != 0)
        return -1;
    for (unsigned i = 0; i < b->elements; i++)
        if (decode_value(d, &list[i], b->type, b, OPERANDS + i) != 0)
            return -1;
    emit(d, op_store_async)->extra = &b->extra;
    return 0;
}

int
decode_bulk_copy(struct decoder *d, const struct ptx_insn *in)
{
    enum ptx_mod waits =
        MOD_READ_ANY(d, in, PTX_MOD_commit_group, PTX_MOD_wait_group, PTX_MOD_prefetch);

    if (!mod_read(d, in, PTX_MOD_async) || ptx_has_mod(in, PTX_MOD_tensor))
        return -1;
    /* A group is complete when it is committed, and a prefetch is a hint. */
    if (waits == PTX_MOD_wait_group)
        (void)mod_read(d, in, PTX_MOD_read);
    if (waits == PTX_MOD_prefetch &&
        (!mod_read(d, in, PTX_MOD_L2) || space_read(d, in) != PTX_SPACE_GLOBAL))
        return -1;
    if (waits == PTX_MOD_prefetch)
        (void)mod_read(d, in, PTX_MOD_l2_cache_hint);
    if (waits != PTX_MOD_UNKNOWN) {
        hints_read(d, in, 0, in->operand_count);
        emit(d, op_nothing);
        return 0;
    }
    return decode_bulk(d, in);
}
