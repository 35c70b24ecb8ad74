/*
 * The instructions on addresses: cvta, isspacep, mapa, getctarank (PTX ISA 9.7.9.18 to
 * .23). An address of global or constant memory is the same in its space and as a generic
 * one. The other spaces lie in windows of the generic space.
 */
#include "../cluster.h"
#include "../decode/emit.h"
#include "../decode/families.h"
#include "../warp_fault.h"

#include <string.h>

enum { ADDRESS_GENERIC = 1 };

static uint64_t
lane_value(const struct warp *w, const struct extra *e, unsigned i, unsigned lane)
{
    uint64_t v = 0;

    memcpy(&v, w->regs + e->vectors[i] + lane * e->widths[i], e->widths[i]);
    return v;
}

/* The offset in the window of shared memory; UINT64_MAX: the address is elsewhere. */
static uint64_t
shared_offset(uint64_t address, uint32_t flags)
{
    if ((flags & ADDRESS_GENERIC) != 0)
        address -= SHARED_WINDOW;
    return address < WINDOW_BYTES ? address : UINT64_MAX;
}

/* lane vectors d, a, rank; x: flags */
static const struct insn *
op_mapa(struct warp *w, const struct insn *in)
{
    const struct extra *e = in->extra;

    for (uint32_t m = w->mask; m != 0; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctz(m);
        uint64_t at = shared_offset(lane_value(w, e, 1, lane), in->x);
        uint64_t rank = lane_value(w, e, 2, lane), v;

        if (at == UINT64_MAX)
            return fault_at(w, in, lane, FAULT_ILLEGAL_ADDRESS,
                            "executes mapa with an address outside of shared memory");
        if (rank >= cluster_size(w->worker->run))
            return fault_at(w, in, lane, FAULT_ILLEGAL_ADDRESS,
                            "executes mapa for block %u of a cluster of %u",
                            (uint32_t)rank, cluster_size(w->worker->run));
        v = (rank + 1) * CLUSTER_STEP + at % CLUSTER_STEP +
            ((in->x & ADDRESS_GENERIC) != 0 ? SHARED_WINDOW : 0);
        memcpy(w->regs + e->vectors[0] + lane * e->widths[0], &v, e->widths[0]);
    }
    return in + 1;
}

/* lane vectors d, a; x: flags */
static const struct insn *
op_getctarank(struct warp *w, const struct insn *in)
{
    const struct extra *e = in->extra;

    for (uint32_t m = w->mask; m != 0; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctz(m);
        uint64_t at = shared_offset(lane_value(w, e, 1, lane), in->x);
        uint32_t rank = at == UINT64_MAX    ? UINT32_MAX
                        : at < CLUSTER_STEP ? w->block->rank
                                            : (uint32_t)(at / CLUSTER_STEP) - 1;

        memcpy(w->regs + e->vectors[0] + lane * 4, &rank, 4);
    }
    return in + 1;
}

/* lane vectors p, a; x: 1: shared memory of the whole cluster */
static const struct insn *
op_is_shared(struct warp *w, const struct insn *in)
{
    const struct extra *e = in->extra;
    uint32_t *p = (uint32_t *)(void *)(w->regs + e->vectors[0]);

    for (uint32_t m = w->mask; m != 0; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctz(m);
        uint64_t at = shared_offset(lane_value(w, e, 1, lane), ADDRESS_GENERIC);
        bool own = at < CLUSTER_STEP || at / CLUSTER_STEP == w->block->rank + 1;

        *p &= ~(1u << lane);
        *p |= (uint32_t)(at != UINT64_MAX && (in->x != 0 || own)) << lane;
    }
    return in + 1;
}

/* isspacep (9.7.9.19): the window, or the kind of allocation; x = space */
static bool
is_in_space(const struct warp *w, uint64_t address, enum ptx_space space)
{
    const struct allocation *a;
    enum ptx_space is = address - SHARED_WINDOW < WINDOW_BYTES  ? PTX_SPACE_SHARED
                        : address - LOCAL_WINDOW < WINDOW_BYTES ? PTX_SPACE_LOCAL
                        : address - PARAM_WINDOW < WINDOW_BYTES ? PTX_SPACE_PARAM
                                                                : PTX_SPACE_GLOBAL;

    if (is != PTX_SPACE_GLOBAL)
        return space == is;
    a = memory_lookup(w->worker->machine, address);
    return space == (a != NULL && a->constant ? PTX_SPACE_CONST : PTX_SPACE_GLOBAL);
}

static const struct insn *
op_isspacep(struct warp *w, const struct insn *in)
{
    uint32_t *d = (uint32_t *)(void *)(w->regs + in->d), r = 0;
    const uint64_t *a = (const uint64_t *)(const void *)(w->regs + in->a);

    for (uint32_t m = w->mask; m != 0; m &= m - 1) {
        int lane = __builtin_ctz(m);

        r |= (uint32_t)is_in_space(w, a[lane], (enum ptx_space)in->x) << lane;
    }
    *d = (*d & ~w->mask) | r;
    return in + 1;
}

/* --- decoding ------------------------------------------------------------ */

/* cvta (9.7.9.20) adds a window or takes it away. Addresses of global and constant memory
 * are generic already. */
static int
decode_cvta(struct decoder *d, const struct ptx_insn *in)
{
    enum ptx_space space = space_read(d, in);
    enum ptx_type type = type_read(d, in, 0);
    uint64_t window = space == PTX_SPACE_SHARED  ? SHARED_WINDOW
                      : space == PTX_SPACE_LOCAL ? LOCAL_WINDOW
                      : space == PTX_SPACE_PARAM ? PARAM_WINDOW
                                                 : 0;
    bool to = mod_read(d, in, PTX_MOD_to);
    struct lane_key key = {window == 0 ? PTX_OP_mov
                           : to        ? PTX_OP_sub
                                       : PTX_OP_add,
                           type, PTX_TYPE_NONE, LANE_PLAIN};
    struct insn out = {0};

    if (in->operand_count != 2 || space == PTX_SPACE_GENERIC ||
        (type != PTX_u64 && (type != PTX_u32 || window != 0)))
        return -1;
    out.fn = lane_handler(d, key);
    out.d = destination(d, &in->operands[0], ptx_type_bytes(type));
    out.a = source(d, &in->operands[1], type);
    out.b = window != 0 ? constant_vector(d, window, 8) : 0;
    if (out.d == UINT32_MAX || out.a == UINT32_MAX || out.b == UINT32_MAX)
        return -1;
    *emit(d, out.fn) = out;
    return 0;
}

/* A source of 4 or 8 bytes: a register, or in .shared the name of a variable. */
static int
decode_source(struct decoder *d, const struct ptx_operand *o, enum ptx_type type,
              struct extra *e, unsigned i)
{
    e->vectors[i] = source(d, o, type);
    e->widths[i] = (uint8_t)ptx_type_bytes(type);
    return e->vectors[i] != UINT32_MAX ? 0 : -1;
}

/* mapa{.shared::cluster}.type d, a, b; getctarank{.shared::cluster}.type d, a;
 * isspacep.shared{::cta, ::cluster} p, a */
static int
decode_mapping(struct decoder *d, const struct ptx_insn *in)
{
    const struct ptx_operand *o = in->operands;
    bool is_mapa = in->op == PTX_OP_mapa, is_rank = in->op == PTX_OP_getctarank;
    enum ptx_type type = in->type_count == 1 ? type_read(d, in, 0) : PTX_u64;
    unsigned result = is_mapa ? ptx_type_bytes(type) : is_rank ? 4 : 0;
    struct extra *e = kernel_alloc(d, sizeof *e);
    struct insn *out;

    if (e == NULL || (result == 0 && in->type_count != 0) ||
        (type != PTX_u32 && type != PTX_u64) || in->operand_count != (is_mapa ? 3 : 2))
        return -1;
    e->vectors[0] = destination(d, &o[0], result);
    e->widths[0] = (uint8_t)result;
    if (e->vectors[0] == UINT32_MAX || decode_source(d, &o[1], type, e, 1) != 0 ||
        (is_mapa && decode_source(d, &o[2], PTX_u32, e, 2) != 0))
        return -1;
    out = emit(d, is_mapa ? op_mapa : is_rank ? op_getctarank : op_is_shared);
    out->extra = e;
    if (is_mapa || is_rank)
        out->x = space_read(d, in) == PTX_SPACE_GENERIC ? ADDRESS_GENERIC : 0;
    else if (mod_read(d, in, PTX_MOD_shared_cluster))
        out->x = 1;
    else
        (void)space_read(d, in);
    return 0;
}

static int
decode_isspacep(struct decoder *d, const struct ptx_insn *in)
{
    struct insn out = {.fn = op_isspacep, .x = (uint32_t)space_read(d, in)};

    if (in->operand_count != 2 || out.x == PTX_SPACE_SHARED || out.x == PTX_SPACE_GENERIC)
        return -1;
    out.d = destination(d, &in->operands[0], 0);
    out.a = source(d, &in->operands[1], PTX_u64);
    if (out.d == UINT32_MAX || out.a == UINT32_MAX)
        return -1;
    count_work(d, WORK_INT, 1);
    *emit(d, out.fn) = out;
    return 0;
}

int
decode_addresses(struct decoder *d, const struct ptx_insn *in)
{
    switch (in->op) {
    case PTX_OP_cvta:
        return decode_cvta(d, in);
    case PTX_OP_isspacep:
        return insn_space(in) == PTX_SPACE_SHARED ? decode_mapping(d, in)
                                                  : decode_isspacep(d, in);
    case PTX_OP_mapa:
    case PTX_OP_getctarank:
        return decode_mapping(d, in);
    default:
        return -1;
    }
}
