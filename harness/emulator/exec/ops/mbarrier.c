/*
 * mbarrier objects (PTX ISA 9.7.13.15), and what cp.async tells them (9.7.9.25.4). A
 * program does not look into an object. Ours has 64 bits:
 *
 *   0..19 pending arrivals   20..39 expected arrivals   40..60 bytes under way, signed
 *   61..63 phase, modulo 8
 *
 * A token, which an arrival returns, is the object before that arrival. A wait compares
 * phases, so a token may be up to 7 phases old; programs may wait for the current and the
 * last phase only. One worker has all memory of a block, so nothing here is atomic.
 */
#include "../cost/count.h"
#include "../decode/families.h"
#include "../race/race.h"
#include "async.h"

#include <string.h>

enum operation {
    MBARRIER_INIT,
    MBARRIER_INVAL,
    MBARRIER_ARRIVE,
    MBARRIER_DROP,      /* arrive_drop */
    MBARRIER_EXPECT,    /* expect_tx */
    MBARRIER_COMPLETE,  /* complete_tx */
    MBARRIER_ARRIVE_TX, /* arrive.expect_tx */
    MBARRIER_DROP_TX,   /* arrive_drop.expect_tx */
    MBARRIER_TEST,      /* test_wait, try_wait */
    MBARRIER_TEST_PARITY,
};

struct mbarrier {
    uint32_t pending, expected, phase;
    int32_t bytes;
};

static struct mbarrier
unpack(uint64_t v)
{
    uint32_t bytes = (uint32_t)(v >> 40) & 0x1fffff;

    return (struct mbarrier){.pending = (uint32_t)v & 0xfffff,
                             .expected = (uint32_t)(v >> 20) & 0xfffff,
                             .bytes = (int32_t)(bytes << 11) >> 11,
                             .phase = (uint32_t)(v >> 61)};
}

static uint64_t
pack(struct mbarrier b)
{
    return (b.pending & 0xfffff) | (uint64_t)(b.expected & 0xfffff) << 20 |
           (uint64_t)((uint32_t)b.bytes & 0x1fffff) << 40 | (uint64_t)(b.phase & 7) << 61;
}

/* 9.7.13.15.5: the phase completes when nothing is pending. */
static void
advance(struct mbarrier *b)
{
    if (b->pending != 0 || b->bytes != 0)
        return;
    b->phase++;
    b->pending = b->expected;
}

static uint64_t
lane_value(const struct warp *w, const struct extra *e, unsigned i, unsigned lane)
{
    uint64_t v = 0;

    if (e->widths[i] == 8 && e->vectors[i] != UINT32_MAX)
        memcpy(&v, w->regs + e->vectors[i] + lane * 8, 8);
    else if (e->vectors[i] != UINT32_MAX)
        memcpy(&v, w->regs + e->vectors[i] + lane * e->widths[i], e->widths[i]);
    return v;
}

static void
update(struct mbarrier *b, enum operation operation, uint32_t value)
{
    switch (operation) {
    case MBARRIER_INIT:
        *b = (struct mbarrier){.pending = value, .expected = value};
        return;
    case MBARRIER_INVAL:
        *b = (struct mbarrier){0};
        return;
    case MBARRIER_DROP:
        b->expected -= value;
        b->pending -= value;
        break;
    case MBARRIER_ARRIVE:
        b->pending -= value;
        break;
    case MBARRIER_EXPECT:
        b->bytes = (int32_t)((uint32_t)b->bytes + value);
        return;
    case MBARRIER_COMPLETE:
        b->bytes = (int32_t)((uint32_t)b->bytes - value);
        break;
    case MBARRIER_DROP_TX:
        b->expected--;
        /* fall through */
    case MBARRIER_ARRIVE_TX:
        b->bytes = (int32_t)((uint32_t)b->bytes + value);
        b->pending--;
        break;
    case MBARRIER_TEST:
    case MBARRIER_TEST_PARITY:
        return;
    }
    advance(b);
}

/* Has the phase that the value stands for (a token, or its parity) completed? */
static bool
has_completed(const struct mbarrier *b, enum operation operation, uint64_t value)
{
    return operation == MBARRIER_TEST ? b->phase != unpack(value).phase
                                      : (b->phase & 1) != (value & 1);
}

static uint64_t
race_location(const struct extra *e, uint64_t address)
{
    return e->space == PTX_SPACE_SHARED ? address + SHARED_WINDOW : address;
}

/* Counts as count_shared() does, for one object that all lanes access: a wavefront for
 * each half warp. */
static void
count_together(struct warp *w, uint32_t slot)
{
    struct site_counts *c = site_counts(w, slot);

    c->shared_requests++;
    c->shared_wavefronts += (uint64_t)((w->mask & 0xffff) != 0) + (w->mask >> 16 != 0);
}

static struct warp_clock *
mbarrier_clock(struct warp *w, uint64_t address)
{
    w->block->has_mbarriers = true;
    return &w->block->mbarriers[(address >> 3) % MBARRIER_CLOCKS];
}

/* A warp that tests an mbarrier goes on no earlier than those that have arrived at it. */
static void
mbarrier_meet(struct warp *w, uint64_t address, bool tests)
{
    struct warp_clock *latest = mbarrier_clock(w, address);

    clock_settle(w);
    if (tests)
        clock_meet(w, latest);
    else
        clock_await(latest, &w->path_clock);
}

/* A copy that begins now has ended when a load has. */
static void
mbarrier_await_copy(struct warp *w, uint64_t address)
{
    struct warp_clock *latest = mbarrier_clock(w, address), end;

    clock_settle(w);
    end = w->path_clock;
    clock_add_miss(&end);
    clock_await(latest, &end);
}

/* Lane vectors result (UINT32_MAX: none), address, value (UINT32_MAX: it is 1); imm =
 * offset, x = enum operation. */
static const struct insn *
op_mbarrier(struct warp *w, const struct insn *in)
{
    const struct extra *e = in->extra;
    enum operation operation = (enum operation)in->x;
    bool tests = operation == MBARRIER_TEST || operation == MBARRIER_TEST_PARITY;
    uint64_t ea[LANES] = {0}, last = 0, token;
    struct mbarrier b = {0};
    uint8_t *host = NULL;
    bool together = true;

    for (uint32_t m = w->mask; m != 0; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctz(m);
        uint64_t value = e->vectors[2] != UINT32_MAX ? lane_value(w, e, 2, lane) : 1;

        ea[lane] = lane_value(w, e, 1, lane) + (uint64_t)e->imm;
        /* A warp that waits asks again and again, all lanes about one barrier. */
        together = together && (host == NULL || ea[lane] == last);
        if (host == NULL || !tests || ea[lane] != last) {
            host = access_lane(w, in, lane, e->slot, e->space, ea[lane], 8,
                               operation == MBARRIER_INIT);
            if (host == NULL)
                return NULL;
            last = ea[lane];
            if (tests)
                flights_land(w->worker, host);
            memcpy(&token, host, 8);
            b = unpack(token);
            if (operation != MBARRIER_INIT && operation != MBARRIER_INVAL)
                mbarrier_meet(w, last, tests);
        }
        if (tests) {
            uint32_t *result = (uint32_t *)(void *)(w->regs + e->vectors[0]);

            *result &= ~(1u << lane);
            *result |= (uint32_t)has_completed(&b, operation, value) << lane;
            if (w->block->race != NULL && has_completed(&b, operation, value))
                race_acquire(w, lane, race_location(e, ea[lane]));
            continue;
        }
        if (w->block->race != NULL && operation != MBARRIER_INIT)
            race_release(w, lane, race_location(e, ea[lane]), RACE_EVERYTHING);
        update(&b, operation, (uint32_t)value);
        value = pack(b);
        memcpy(host, &value, 8);
        if (e->vectors[0] != UINT32_MAX)
            memcpy(w->regs + e->vectors[0] + lane * 8, &token, 8);
    }
    w->spinning |= tests;
    if (e->space == PTX_SPACE_SHARED && together)
        count_together(w, e->slot);
    else if (e->space == PTX_SPACE_SHARED)
        count_shared(w, e->slot, ea, w->mask, 8);
    return in + 1;
}

bool
mbarrier_complete(struct warp *w, const struct insn *in, unsigned lane, uint32_t slot,
                  uint64_t address, uint32_t bytes)
{
    uint8_t *host = access_lane(w, in, lane, slot, PTX_SPACE_SHARED, address, 8, false);
    struct mbarrier b;
    uint64_t v;

    if (host == NULL)
        return false;
    if (w->block->race != NULL)
        race_release(w, lane, address + SHARED_WINDOW, RACE_EVERYTHING);
    memcpy(&v, host, 8);
    b = unpack(v);
    update(&b, MBARRIER_COMPLETE, bytes);
    mbarrier_await_copy(w, address);
    v = pack(b);
    memcpy(host, &v, 8);
    return true;
}

/* mbarrier.pending_count of a token. */
static const struct insn *
op_pending_count(struct warp *w, const struct insn *in)
{
    const struct extra *e = in->extra;

    for (uint32_t m = w->mask; m != 0; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctz(m);
        uint32_t pending = unpack(lane_value(w, e, 2, lane)).pending;

        memcpy(w->regs + e->vectors[0] + lane * 4, &pending, 4);
    }
    return in + 1;
}

/* --- decoding -------------------------------------------------------------------- */

static int
operation_of(struct decoder *d, const struct ptx_insn *in)
{
    switch ((int)MOD_READ_ANY(d, in, PTX_MOD_init, PTX_MOD_inval, PTX_MOD_arrive_drop,
                              PTX_MOD_arrive, PTX_MOD_complete_tx, PTX_MOD_test_wait,
                              PTX_MOD_try_wait)) {
    case PTX_MOD_init:
        return MBARRIER_INIT;
    case PTX_MOD_inval:
        return MBARRIER_INVAL;
    case PTX_MOD_arrive_drop:
        return mod_read(d, in, PTX_MOD_expect_tx) ? MBARRIER_DROP_TX : MBARRIER_DROP;
    case PTX_MOD_arrive:
        return mod_read(d, in, PTX_MOD_expect_tx) ? MBARRIER_ARRIVE_TX : MBARRIER_ARRIVE;
    case PTX_MOD_complete_tx:
        return MBARRIER_COMPLETE;
    case PTX_MOD_test_wait:
    case PTX_MOD_try_wait:
        return mod_read(d, in, PTX_MOD_parity) ? MBARRIER_TEST_PARITY : MBARRIER_TEST;
    default:
        return mod_read(d, in, PTX_MOD_expect_tx) ? MBARRIER_EXPECT : -1;
    }
}

static int
decode_object(struct decoder *d, const struct ptx_insn *in, const struct ptx_operand *o,
              struct extra *e)
{
    struct ptx_operand base = *o;
    uint32_t width = 4;

    if (!o->is_address)
        return -1;
    address_read(d, o);
    e->space = access_space(d, in, o);
    base.is_address = false;
    base.offset = 0;
    e->imm = o->offset;
    e->vectors[1] = o->kind == PTX_OPERAND_REG ? source_any(d, &base, &width)
                                               : source(d, &base, PTX_u32);
    e->widths[1] = (uint8_t)width;
    return e->vectors[1] != UINT32_MAX && (width == 4 || width == 8) ? 0 : -1;
}

static int
decode_value(struct decoder *d, const struct ptx_operand *o, enum ptx_type type,
             struct extra *e)
{
    e->vectors[2] = source(d, o, type);
    e->widths[2] = (uint8_t)ptx_type_bytes(type);
    return e->vectors[2] != UINT32_MAX ? 0 : -1;
}

static struct extra *
new_operands(struct decoder *d, const struct ptx_insn *in)
{
    struct extra *e = kernel_alloc(d, sizeof *e);

    if (e == NULL)
        return NULL;
    for (unsigned i = 0; i < 3; i++)
        e->vectors[i] = UINT32_MAX;
    e->space = insn_space(in); /* decode_object() reads it */
    e->slot = site_new(d);
    return e;
}

static int
decode_pending_count(struct decoder *d, const struct ptx_insn *in)
{
    struct extra *e = new_operands(d, in);

    if (e == NULL || in->operand_count != 2 ||
        decode_value(d, &in->operands[1], PTX_b64, e) != 0)
        return -1;
    e->vectors[0] = destination(d, &in->operands[0], 4);
    if (e->vectors[0] == UINT32_MAX)
        return -1;
    emit(d, op_pending_count)->extra = e;
    return 0;
}

/* cp.async.mbarrier.arrive: the copies end, and then the thread arrives. Without .noinc
 * the arrival is added to the pending ones only now, so nothing changes. x = 1: .noinc.
 */
static const struct insn *
op_copy_arrival(struct warp *w, const struct insn *in)
{
    copies_wait(w, UINT32_MAX);
    for (uint32_t m = w->mask; m != 0; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctz(m);

        mbarrier_await_copy(w,
                            lane_value(w, in->extra, 1, lane) + (uint64_t)in->extra->imm);
    }
    if (in->y != 0)
        return op_mbarrier(w, in);
    for (uint32_t m = w->block->race != NULL ? w->mask : 0; m != 0; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctz(m);
        uint64_t address = lane_value(w, in->extra, 1, lane) + (uint64_t)in->extra->imm;

        race_release(w, lane, race_location(in->extra, address), RACE_EVERYTHING);
    }
    return in + 1;
}

int
decode_copy_arrival(struct decoder *d, const struct ptx_insn *in)
{
    struct extra *e;
    struct insn *out;
    bool counted = mod_read(d, in, PTX_MOD_noinc);

    if (!mod_read(d, in, PTX_MOD_arrive) || type_read(d, in, 0) != PTX_b64 ||
        in->operand_count != 1)
        return -1;
    e = new_operands(d, in);
    if (e == NULL || decode_object(d, in, &in->operands[0], e) != 0)
        return -1;
    out = emit(d, op_copy_arrival);
    out->extra = e;
    out->x = MBARRIER_ARRIVE;
    out->y = counted;
    return 0;
}

int
decode_mbarrier(struct decoder *d, const struct ptx_insn *in)
{
    const struct ptx_operand *o = in->operands;
    bool counts = mod_read(d, in, PTX_MOD_pending_count);
    int operation = counts ? -1 : operation_of(d, in);
    bool tests = operation == MBARRIER_TEST || operation == MBARRIER_TEST_PARITY;
    bool arrives = operation == MBARRIER_ARRIVE || operation == MBARRIER_DROP ||
                   operation == MBARRIER_ARRIVE_TX || operation == MBARRIER_DROP_TX;
    unsigned at = tests || arrives ? 1 : 0;
    struct extra *e;
    struct insn *out;

    if (type_read(d, in, 0) != PTX_b64)
        return -1;
    if (counts)
        return decode_pending_count(d, in);
    if (operation < 0 || in->operand_count < at + 1)
        return -1;
    kernel_of(d)->meets_in_part = true;
    e = new_operands(d, in);
    if (e == NULL || decode_object(d, in, &o[at], e) != 0)
        return -1;
    if (at == 1 && o[0].kind != PTX_OPERAND_SINK) {
        e->vectors[0] = destination(d, &o[0], tests ? 0 : 8);
        if (e->vectors[0] == UINT32_MAX)
            return -1;
    }
    if (in->operand_count > at + 1 &&
        decode_value(d, &o[at + 1], operation == MBARRIER_TEST ? PTX_b64 : PTX_u32, e) !=
            0)
        return -1;
    if (tests) /* how long the thread may wait */
        hints_read(d, in, at + 2, at + 3);
    if (tests && (e->vectors[0] == UINT32_MAX || e->vectors[2] == UINT32_MAX))
        return -1;
    out = emit(d, op_mbarrier);
    out->extra = e;
    out->x = (uint32_t)operation;
    return 0;
}
