/*
 * The instructions on surfaces, lane by lane: suld, sust, sured (PTX ISA 9.7.11). A
 * surface's handle is a texture's; texture_ops.c has suq.
 */
#include "../cost/count.h"
#include "../decode/families.h"
#include "../decode/opcode.h"
#include "../links.h"
#include "../ops/ordered.h"
#include "../warp_fault.h"
#include "texture_op.h"

/* --- suld, sust, sured --------------------------------------------------- */

/* Brings a coordinate into [0, n) where outside accesses clamp; false: it is outside. */
static bool
inside(const struct texture_op *op, int64_t *at, int64_t n)
{
    if (op->outside == OUTSIDE_CLAMPS)
        *at = *at < 0 ? 0 : *at >= n ? n - 1 : *at;
    return *at >= 0 && *at < n;
}

/* The offset of a lane's element from the surface's first byte; false: it is outside. */
static bool
surface_offset(const struct warp *w, const struct texture_op *op,
               const struct texture_info *t, unsigned lane, uint64_t *offset)
{
    struct texture_level l = texture_level(t, 0);
    unsigned bytes = op->formatted ? texel_bytes(t) : (unsigned)op->bytes * op->elements;
    int64_t x = (int32_t)lane_value(w, op->coordinates[0], lane, 4);
    int64_t y = (int32_t)lane_value(w, op->coordinates[1], lane, 4);
    int64_t z = (int32_t)lane_value(w, op->coordinates[2], lane, 4);
    int64_t layer = (int32_t)lane_value(w, op->layer, lane, 4);

    x = op->formatted ? x : x >> __builtin_ctz(bytes);
    if (!inside(op, &x, (int64_t)(l.width * texel_bytes(t) / bytes)) ||
        !inside(op, &y, l.height) || !inside(op, &z, l.depth) ||
        !inside(op, &layer, t->layers))
        return false;
    *offset =
        (uint64_t)(z + layer) * l.slice + (uint64_t)y * l.pitch + (uint64_t)x * bytes;
    return true;
}

/* Finds the host's bytes of a lane's element. false: it is outside, where a load gives 0;
 * or the warp has its fault (w->stop). */
static bool
surface_element(struct warp *w, const struct insn *in, unsigned lane, bool is_write,
                const struct texture_info **info, uint8_t **host, uint64_t *address)
{
    const struct texture_op *op = texture_op_of(in);
    struct allocation *memory;
    const struct texture_info *t = *info = texture_described(w, in, lane, true, &memory);
    uint32_t bytes;
    uint64_t offset, x;

    if (t == NULL)
        return false;
    bytes = op->formatted ? texel_bytes(t) : (uint32_t)op->bytes * op->elements;
    x = lane_value(w, op->coordinates[0], lane, 4);
    if (!op->formatted && x % bytes != 0) {
        fault_at(w, in, lane, FAULT_MISALIGNED,
                 "%s a surface at byte %d of a row, which is not a multiple of %u",
                 is_write ? "writes" : "reads", (int)x, bytes);
        return false;
    }
    if (!surface_offset(w, op, t, lane, &offset)) {
        if (op->outside == OUTSIDE_TRAPS)
            fault_at(w, in, lane, FAULT_ILLEGAL_ADDRESS,
                     "%s outside a surface of %u x %u x %u texels: x = %d%s, y = %d",
                     is_write ? "writes" : "reads", t->width, t->height,
                     t->depth * t->layers, (int)x, op->formatted ? "" : " bytes",
                     (int)lane_value(w, op->coordinates[1], lane, 4));
        return false;
    }
    *address = t->address + offset;
    *host = memory->host + (*address - memory->start);
    links_any(w, op->slot, PTX_SPACE_GLOBAL, *address, bytes,
              op->op != PTX_MOD_UNKNOWN ? LINKS_UPDATE
              : is_write                ? LINKS_WRITE
                                        : LINKS_READ);
    if (memory->shadow != NULL) {
        uint8_t *shadow = memory->shadow + (*address - memory->start);

        if (!is_write && w->worker->run->checks && memchr(shadow, 0, bytes) != NULL)
            notice_uninitialized(w, in, lane, PTX_SPACE_GLOBAL, *address, bytes);
        if (is_write)
            memset(shadow, 1, bytes);
    }
    return true;
}

static uint64_t
reduced(const struct texture_op *op, uint64_t old, uint64_t b)
{
    bool less = op->type == PTX_s32   ? (int32_t)b < (int32_t)old
                : op->type == PTX_s64 ? (int64_t)b < (int64_t)old
                                      : b < old;

    switch (op->op) {
    case PTX_MOD_add:
        return old + b;
    case PTX_MOD_min:
        return less ? b : old;
    case PTX_MOD_max:
        return less || b == old ? old : b;
    case PTX_MOD_and_:
        return old & b;
    default:
        return old | b;
    }
}

static void
store_element(struct warp *w, const struct texture_op *op, const struct texture_info *t,
              unsigned lane, uint8_t *host)
{
    unsigned lane_bytes = op->bytes < 2 ? 2 : op->bytes;
    uint32_t channels[4] = {0};
    uint64_t value, old = 0;

    if (op->formatted) {
        for (unsigned i = 0; i < op->elements; i++)
            channels[i] = (uint32_t)lane_value(w, op->data[i], lane, 4);
        texel_store(t, channels, host);
        return;
    }
    for (unsigned i = 0; i < op->elements; i++) {
        value = lane_value(w, op->data[i], lane, lane_bytes);
        if (op->op != PTX_MOD_UNKNOWN) {
            memcpy(&old, host, op->bytes);
            value = reduced(op, old, value);
        }
        memcpy(host + i * op->bytes, &value, op->bytes);
    }
}

static void
load_element(struct warp *w, const struct texture_op *op, unsigned lane,
             const uint8_t *host)
{
    unsigned lane_bytes = op->bytes < 2 ? 2 : op->bytes;

    for (unsigned i = 0; i < op->elements; i++) {
        uint64_t value = 0;

        if (host != NULL)
            memcpy(&value, host + i * op->bytes, op->bytes);
        if (op->data[i] != UINT32_MAX)
            memcpy(w->regs + op->data[i] + lane * lane_bytes, &value, lane_bytes);
    }
}

static const struct insn *
op_surface(struct warp *w, const struct insn *in)
{
    const struct texture_op *op = texture_op_of(in);
    struct site_counts *c = site_counts(w, op->slot);
    uint64_t ea[LANES];
    uint32_t touched = 0;

    for (uint32_t m = w->mask; m != 0; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctz(m);
        const struct texture_info *t;
        uint8_t *host;

        if (!surface_element(w, in, lane, op->is_store, &t, &host, &ea[lane])) {
            if (w->stop == STOP_FAULT)
                return NULL;
            if (!op->is_store)
                load_element(w, op, lane, NULL);
            continue;
        }
        touched |= 1u << lane;
        if (op->is_store) {
            store_element(w, op, t, lane, host);
            c->global_store_bytes += (uint64_t)op->bytes * op->elements;
        } else {
            load_element(w, op, lane, host);
            c->global_load_bytes += (uint64_t)op->bytes * op->elements;
        }
    }
    if (touched != 0)
        count_global(w, op->slot, ea, touched);
    return in + 1;
}

/* --- decoding ------------------------------------------------------------ */

static int
decode_surface_data(struct decoder *d, const struct ptx_operand *o, struct texture_op *op)
{
    static const enum ptx_type types[9] = {
        [1] = PTX_u8, [2] = PTX_u16, [4] = PTX_u32, [8] = PTX_u64};
    uint32_t count;
    const struct ptx_operand *list = texture_elements(o, &count);

    if (count != op->elements)
        return -1;
    for (uint32_t i = 0; i < count; i++)
        if ((op->data[i] = element(d, &list[i], types[op->bytes])) == UINT32_MAX)
            return -1;
    return 0;
}

static enum ptx_mod
reduction_of(struct decoder *d, const struct ptx_insn *in)
{
    return MOD_READ_ANY(d, in, PTX_MOD_add, PTX_MOD_min, PTX_MOD_max, PTX_MOD_and_,
                        PTX_MOD_or_);
}

/* suld, sust, sured */
int
decode_surface(struct decoder *d, const struct ptx_insn *in)
{
    struct texture_op *op = texture_op_new(d);
    const struct ptx_operand *o = in->operands;
    bool is_load = in->op == PTX_OP_suld;
    enum ptx_mod vector, outside;
    struct geometry g;

    if (op == NULL || in->operand_count != 2 || in->type_count != 1 ||
        texture_geometry_of(d, in, &g) != 0)
        return -1;
    op->is_store = !is_load;
    op->formatted = MOD_READ_ANY(d, in, PTX_MOD_p, PTX_MOD_b) == PTX_MOD_p;
    op->type = type_read(d, in, 0);
    op->bytes = (uint8_t)ptx_type_bytes(op->type);
    vector = MOD_READ_ANY(d, in, PTX_MOD_v2, PTX_MOD_v4);
    outside = MOD_READ_ANY(d, in, PTX_MOD_trap, PTX_MOD_clamp, PTX_MOD_zero);
    op->elements = vector == PTX_MOD_v2 ? 2 : vector == PTX_MOD_v4 ? 4 : 1;
    op->outside = outside == PTX_MOD_clamp  ? OUTSIDE_CLAMPS
                  : outside == PTX_MOD_zero ? OUTSIDE_IS_ZERO
                                            : OUTSIDE_TRAPS;
    if (in->op == PTX_OP_sured) {
        op->op = reduction_of(d, in);
        if (op->op == PTX_MOD_UNKNOWN || op->bytes < 4 || op->elements != 1 ||
            op->formatted)
            return -1;
        kernel_of(d)->serial = true;
    }
    if (op->bytes == 0 || op->bytes > 8 || op->bytes * op->elements > 16 ||
        (op->formatted && (is_load || op->bytes != 4)))
        return -1;
    if (texture_decode_place(d, &o[is_load ? 1 : 0], op, &g, PTX_s32) != 0)
        return -1;
    if (is_load ? texture_decode_results(d, &o[0], op, op->elements,
                                         op->bytes < 2 ? 2 : op->bytes)
                : decode_surface_data(d, &o[1], op))
        return -1;
    count_unit(d, in);
    emit(d, op_surface)->extra = &op->extra;
    order_note(d, PTX_SPACE_GLOBAL, &op->extra, &op->extra.plain, op_ordered_other);
    return 0;
}
