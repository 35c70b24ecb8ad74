/*
 * The instructions that use textures and surfaces, lane by lane: tex, tld4, txq (PTX ISA
 * 9.7.10), suld, sust, sured, suq (9.7.11). Only handles in registers (what nvcc of CUDA
 * 12 and newer emits): .texref and .surfref variables are not known.
 *
 * A handle comes from the program and may be anything; a description's memory may have
 * been freed. Both are faults (an H200 returns zeros instead for a handle that never
 * was).
 */
#include "../cost/count.h"
#include "../decode/families.h"
#include "../decode/opcode.h"
#include "../ops/access.h"
#include "../warp_fault.h"
#include "fetch.h"

#include <string.h>

struct texture_op {
    struct extra extra;
    uint32_t handle;         /* row, 64 bits */
    uint32_t data[4];        /* rows: results of a load, or what is stored */
    uint32_t coordinates[3]; /* rows; UINT32_MAX: there is none */
    uint32_t layer;          /* row, or UINT32_MAX */
    uint32_t level;          /* row, or UINT32_MAX */
    uint32_t ddx[3], ddy[3]; /* rows */
    uint32_t resident;       /* row of a predicate, or UINT32_MAX */
    enum level_choice choice;
    bool integer, gather;
    uint8_t component;
    /* surfaces */
    enum { OUTSIDE_TRAPS, OUTSIDE_CLAMPS, OUTSIDE_IS_ZERO } outside;
    bool is_store, formatted;
    uint8_t elements, bytes; /* bytes of an element in memory */
    enum ptx_mod op;         /* sured; a query's property */
    enum ptx_type type;
    uint32_t slot;
};

static const struct texture_op *
texture_op_of(const struct insn *in)
{
    return (const struct texture_op *)(const void *)in->extra;
}

static uint64_t
lane_value(const struct warp *w, uint32_t row, unsigned lane, unsigned bytes)
{
    uint64_t v = 0;

    if (row != UINT32_MAX)
        memcpy(&v, w->regs + row + lane * bytes, bytes);
    return v;
}

static float
lane_float(const struct warp *w, uint32_t row, unsigned lane)
{
    uint32_t bits = (uint32_t)lane_value(w, row, lane, 4);
    float f;

    memcpy(&f, &bits, sizeof f);
    return f;
}

static void
lane_result(struct warp *w, uint32_t row, unsigned lane, uint32_t value)
{
    if (row != UINT32_MAX)
        memcpy(w->regs + row + lane * 4, &value, 4);
}

/* What a lane's handle names and its bytes; NULL: fault raised. */
static const struct texture_info *
described(struct warp *w, const struct insn *in, unsigned lane, bool surface,
          struct allocation **memory)
{
    const struct texture_op *op = texture_op_of(in);
    uint64_t handle = lane_value(w, op->handle, lane, 8), bytes;
    const struct texture *t = texture_find(w->worker->machine, handle, surface);
    const char *what = surface ? "surface" : "texture";

    if (t == NULL) {
        fault_at(w, in, lane, FAULT_ILLEGAL_ADDRESS,
                 "uses %s object %#llx, which does not exist", what,
                 (unsigned long long)handle);
        return NULL;
    }
    *memory = access_find(w, op->slot, t->info.address);
    bytes = (*memory)->bytes - (t->info.address - (*memory)->start);
    if (*memory == &no_allocation || t->bytes > bytes) {
        fault_at(w, in, lane, FAULT_ILLEGAL_ADDRESS,
                 "uses %s object %#llx, whose memory was freed", what,
                 (unsigned long long)handle);
        return NULL;
    }
    return &t->info;
}

/* --- tex, tld4 --------------------------------------------------------------------- */

static void
fill_sample(struct warp *w, const struct texture_op *op, unsigned lane, struct sample *s)
{
    for (unsigned i = 0; i < 3; i++) {
        s->i[i] = (int32_t)lane_value(w, op->coordinates[i], lane, 4);
        s->x[i] = lane_float(w, op->coordinates[i], lane);
    }
    for (unsigned i = 0; i < 3 && op->choice == LEVEL_GRADIENT; i++) {
        s->ddx[i] = lane_float(w, op->ddx[i], lane);
        s->ddy[i] = lane_float(w, op->ddy[i], lane);
    }
    s->layer = (int32_t)lane_value(w, op->layer, lane, 4);
    s->level = lane_float(w, op->level, lane);
    s->integer = op->integer;
    s->gather = op->gather;
    s->component = op->component;
    s->choice = op->choice;
}

static const struct insn *
op_tex(struct warp *w, const struct insn *in)
{
    const struct texture_op *op = texture_op_of(in);
    struct site_counts *c = site_counts(w, op->slot);
    uint64_t ea[LANES], handle = 0;
    const struct texture_info *t = NULL;
    struct allocation *memory = NULL;
    struct sample s = {0};
    uint32_t read = 0;

    for (uint32_t m = w->mask; m != 0; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctz(m);
        uint64_t own = lane_value(w, op->handle, lane, 8), offset;
        uint32_t out[4];

        if (t == NULL || own != handle)
            t = described(w, in, lane, false, &memory);
        if (t == NULL)
            return NULL;
        handle = own;
        s.t = t;
        offset = t->address - memory->start;
        s.texels = memory->host + offset;
        s.shadow = w->worker->run->checks && memory->shadow != NULL
                       ? memory->shadow + offset
                       : NULL;
        fill_sample(w, op, lane, &s);
        texture_sample(&s, out);
        if (s.unwritten != 0)
            notice_uninitialized(w, in, lane, PTX_SPACE_GLOBAL,
                                 t->address + s.unwritten - 1, texel_bytes(t));
        if (s.first != UINT64_MAX) {
            ea[lane] = t->address + s.first;
            read |= 1u << lane;
            c->global_load_bytes += texel_bytes(t);
        }
        for (unsigned i = 0; i < 4; i++)
            lane_result(w, op->data[i], lane, out[i]);
    }
    if (op->resident != UINT32_MAX)
        *(uint32_t *)(void *)(w->regs + op->resident) |= w->mask;
    if (read != 0)
        count_global(w, op->slot, ea, read);
    return in + 1;
}

/* --- suld, sust, sured ------------------------------------------------------------- */

/* Brings a coordinate into [0, n) where outside accesses clamp; false: it is outside. */
static bool
inside(const struct texture_op *op, int64_t *at, int64_t n)
{
    if (op->outside == OUTSIDE_CLAMPS)
        *at = *at < 0 ? 0 : *at >= n ? n - 1 : *at;
    return *at >= 0 && *at < n;
}

/* The offset of a lane's element from the surface's first byte; false: outside. */
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

/* The host's bytes behind a lane's element. false: outside, zero mode; or w->stop is
 * set. */
static bool
surface_element(struct warp *w, const struct insn *in, unsigned lane, bool is_write,
                const struct texture_info **info, uint8_t **host, uint64_t *address)
{
    const struct texture_op *op = texture_op_of(in);
    struct allocation *memory;
    const struct texture_info *t = *info = described(w, in, lane, true, &memory);
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
    unsigned row_bytes = op->bytes < 2 ? 2 : op->bytes;
    uint32_t channels[4] = {0};
    uint64_t value, old = 0;

    if (op->formatted) {
        for (unsigned i = 0; i < op->elements; i++)
            channels[i] = (uint32_t)lane_value(w, op->data[i], lane, 4);
        texel_store(t, channels, host);
        return;
    }
    for (unsigned i = 0; i < op->elements; i++) {
        value = lane_value(w, op->data[i], lane, row_bytes);
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
    unsigned row_bytes = op->bytes < 2 ? 2 : op->bytes;

    for (unsigned i = 0; i < op->elements; i++) {
        uint64_t value = 0;

        if (host != NULL)
            memcpy(&value, host + i * op->bytes, op->bytes);
        if (op->data[i] != UINT32_MAX)
            memcpy(w->regs + op->data[i] + lane * row_bytes, &value, row_bytes);
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

/* --- txq, suq ---------------------------------------------------------------------- */

static const struct insn *
op_query(struct warp *w, const struct insn *in)
{
    const struct texture_op *op = texture_op_of(in);

    for (uint32_t m = w->mask; m != 0; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctz(m);
        struct allocation *memory;
        const struct texture_info *t = described(w, in, lane, op->is_store, &memory);
        uint32_t value = 0;

        if (t == NULL)
            return NULL;
        if (op->op == PTX_MOD_width)
            value = t->width;
        else if (op->op == PTX_MOD_height)
            value = t->dims > 1 ? t->height : 0;
        else if (op->op == PTX_MOD_depth) /* an H200 tells the layers here */
            value = t->dims > 2 ? t->depth : t->layers > 1 ? t->layers : 0;
        else if (op->op == PTX_MOD_array_size)
            value = t->layers > 1 ? t->layers : 0;
        else if (op->op == PTX_MOD_num_mipmap_levels)
            value = t->levels;
        else
            value = t->normalized_coordinates;
        lane_result(w, op->data[0], lane, value);
    }
    return in + 1;
}

/* istypep (9.7.10.5): d = predicate, a = handle, x = type that is asked for. Textures
 * bring their samplers along, so that no handle is a sampler's. */
static const struct insn *
op_istypep(struct warp *w, const struct insn *in)
{
    uint32_t *p = (uint32_t *)(void *)(w->regs + in->d), yes = 0;

    for (uint32_t m = w->mask; m != 0 && in->x != PTX_samplerref; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctz(m);
        uint64_t handle = lane_value(w, in->a, lane, 8);

        yes |= (uint32_t)(texture_find(w->worker->machine, handle,
                                       in->x == PTX_surfref) != NULL)
               << lane;
    }
    *p = (*p & ~w->mask) | yes;
    return in + 1;
}

/* --- decoding ---------------------------------------------------------------------- */

struct geometry {
    uint8_t dims;
    bool layered;
};

static int
geometry_of(const struct ptx_insn *in, struct geometry *g)
{
    static const struct {
        enum ptx_mod mod;
        struct geometry g;
    } all[] = {
        {PTX_MOD_d1, {1, false}},   {PTX_MOD_d2, {2, false}}, {PTX_MOD_d3, {3, false}},
        {PTX_MOD_a1d, {1, true}},   {PTX_MOD_a2d, {2, true}}, {PTX_MOD_cube, {3, false}},
        {PTX_MOD_acube, {3, true}},
    };

    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        if (ptx_has_mod(in, all[i].mod)) {
            *g = all[i].g;
            return 0;
        }
    }
    return -1;
}

static struct texture_op *
texture_op_new(struct decoder *d)
{
    struct texture_op *op = kernel_alloc(d, sizeof *op);

    if (op == NULL)
        return NULL;
    memset(op->data, 0xff, sizeof op->data);
    memset(op->coordinates, 0xff, sizeof op->coordinates);
    memset(op->ddx, 0xff, sizeof op->ddx);
    memset(op->ddy, 0xff, sizeof op->ddy);
    op->layer = op->level = op->resident = UINT32_MAX;
    op->slot = site_new(d);
    return op;
}

/* The elements of {a, b, ...}, or the one operand. */
static const struct ptx_operand *
elements(const struct ptx_operand *o, uint32_t *count)
{
    *count = o->kind == PTX_OPERAND_LIST ? o->count : 1;
    return o->kind == PTX_OPERAND_LIST ? o->list : o;
}

/* [handle, {layer, x, y, z}]: vectors of three are padded to four. */
static int
decode_place(struct decoder *d, const struct ptx_operand *o, struct texture_op *op,
             const struct geometry *g)
{
    struct ptx_operand handle = *o;
    const struct ptx_operand *list;
    uint32_t count, at = 0;

    if (!o->is_address || o->kind != PTX_OPERAND_REG || o->offset != 0)
        return -1;
    handle.is_address = false;
    op->handle = source(d, &handle, PTX_u64);
    if (op->handle == UINT32_MAX)
        return -1;
    if (g == NULL) /* a query */
        return o->second == NULL ? 0 : -1;
    if (o->second == NULL)
        return -1;
    list = elements(o->second, &count);
    if (count < g->dims + (g->layered ? 1u : 0u))
        return -1;
    if (g->layered && (op->layer = source(d, &list[at++], PTX_u32)) == UINT32_MAX)
        return -1;
    for (unsigned i = 0; i < g->dims; i++)
        if ((op->coordinates[i] = source(d, &list[at++], PTX_u32)) == UINT32_MAX)
            return -1;
    return 0;
}

static int
decode_vector(struct decoder *d, const struct ptx_operand *o, uint32_t rows[3],
              unsigned dims)
{
    uint32_t count;
    const struct ptx_operand *list = elements(o, &count);

    if (count < dims)
        return -1;
    for (unsigned i = 0; i < dims; i++)
        if ((rows[i] = source(d, &list[i], PTX_f32)) == UINT32_MAX)
            return -1;
    return 0;
}

static int
decode_results(struct decoder *d, const struct ptx_operand *o, struct texture_op *op,
               uint32_t wanted, uint32_t bytes)
{
    uint32_t count;
    const struct ptx_operand *list = elements(o, &count);
    bool negated;

    if (count != wanted)
        return -1;
    for (uint32_t i = 0; i < count; i++) {
        if (list[i].kind == PTX_OPERAND_SINK)
            continue;
        op->data[i] = destination(d, &list[i], bytes);
        if (op->data[i] == UINT32_MAX)
            return -1;
    }
    if (o->second != NULL &&
        (op->resident = predicate(d, o->second, &negated)) == UINT32_MAX)
        return -1;
    return 0;
}

/* tex, tld4 */
int
decode_texture(struct decoder *d, const struct ptx_insn *in)
{
    struct texture_op *op = texture_op_new(d);
    const struct ptx_operand *o = in->operands;
    bool is_cube = ptx_has_mod(in, PTX_MOD_cube) || ptx_has_mod(in, PTX_MOD_acube);
    unsigned used = 2;
    struct geometry g;

    if (op == NULL || in->operand_count < 2 || in->type_count != 2 ||
        geometry_of(in, &g) != 0 || !ptx_has_mod(in, PTX_MOD_v4) ||
        ptx_type_bytes((enum ptx_type)in->types[0]) != 4 ||
        ptx_type_class((enum ptx_type)in->types[0]) == PTX_CLASS_PACKED)
        return -1;
    op->integer = in->types[1] == PTX_s32;
    if (!op->integer && in->types[1] != PTX_f32)
        return -1;
    if (decode_place(d, &o[1], op, &g) != 0 || decode_results(d, &o[0], op, 4, 4) != 0)
        return -1;
    if (in->op == PTX_OP_tld4) {
        op->gather = true;
        op->component = ptx_has_mod(in, PTX_MOD_r)   ? 0
                        : ptx_has_mod(in, PTX_MOD_g) ? 1
                        : ptx_has_mod(in, PTX_MOD_b) ? 2
                                                     : 3;
    } else if (ptx_has_mod(in, PTX_MOD_level)) {
        op->choice = LEVEL_GIVEN;
        if (in->operand_count < 3 || op->integer ||
            (op->level = source(d, &o[used++], PTX_f32)) == UINT32_MAX)
            return -1;
    } else if (ptx_has_mod(in, PTX_MOD_grad)) {
        op->choice = LEVEL_GRADIENT;
        if (in->operand_count < 4 || is_cube ||
            decode_vector(d, &o[2], op->ddx, g.dims) != 0 ||
            decode_vector(d, &o[3], op->ddy, g.dims) != 0)
            return -1;
        used = 4;
    }
    if (in->operand_count != used) /* an offset, a depth to compare with */
        return -1;
    count_unit(d, in);
    emit(d, op_tex)->extra = &op->extra;
    return 0;
}

static int
decode_surface_data(struct decoder *d, const struct ptx_operand *o, struct texture_op *op)
{
    static const enum ptx_type types[9] = {
        [1] = PTX_u8, [2] = PTX_u16, [4] = PTX_u32, [8] = PTX_u64};
    uint32_t count;
    const struct ptx_operand *list = elements(o, &count);

    if (count != op->elements)
        return -1;
    for (uint32_t i = 0; i < count; i++)
        if ((op->data[i] = source(d, &list[i], types[op->bytes])) == UINT32_MAX)
            return -1;
    return 0;
}

static enum ptx_mod
reduction_of(const struct ptx_insn *in)
{
    static const enum ptx_mod ops[] = {PTX_MOD_add, PTX_MOD_min, PTX_MOD_max,
                                       PTX_MOD_and_, PTX_MOD_or_};

    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++)
        if (ptx_has_mod(in, ops[i]))
            return ops[i];
    return PTX_MOD_UNKNOWN;
}

/* suld, sust, sured */
int
decode_surface(struct decoder *d, const struct ptx_insn *in)
{
    struct texture_op *op = texture_op_new(d);
    const struct ptx_operand *o = in->operands;
    bool is_load = in->op == PTX_OP_suld;
    struct geometry g;

    if (op == NULL || in->operand_count != 2 || in->type_count != 1 ||
        geometry_of(in, &g) != 0)
        return -1;
    op->is_store = !is_load;
    op->formatted = ptx_has_mod(in, PTX_MOD_p);
    op->type = (enum ptx_type)in->types[0];
    op->bytes = (uint8_t)ptx_type_bytes(op->type);
    op->elements = ptx_has_mod(in, PTX_MOD_v2) ? 2 : ptx_has_mod(in, PTX_MOD_v4) ? 4 : 1;
    op->outside = ptx_has_mod(in, PTX_MOD_clamp)  ? OUTSIDE_CLAMPS
                  : ptx_has_mod(in, PTX_MOD_zero) ? OUTSIDE_IS_ZERO
                                                  : OUTSIDE_TRAPS;
    if (in->op == PTX_OP_sured) {
        op->op = reduction_of(in);
        if (op->op == PTX_MOD_UNKNOWN || op->bytes < 4 || op->elements != 1 ||
            op->formatted)
            return -1;
        kernel_of(d)->serial = true;
    }
    if (op->bytes == 0 || op->bytes > 8 || op->bytes * op->elements > 16 ||
        (op->formatted && (is_load || op->bytes != 4)))
        return -1;
    if (decode_place(d, &o[is_load ? 1 : 0], op, &g) != 0)
        return -1;
    if (is_load
            ? decode_results(d, &o[0], op, op->elements, op->bytes < 2 ? 2 : op->bytes)
            : decode_surface_data(d, &o[1], op))
        return -1;
    count_unit(d, in);
    emit(d, op_surface)->extra = &op->extra;
    return 0;
}

static int
decode_istypep(struct decoder *d, const struct ptx_insn *in)
{
    struct insn out = {.fn = op_istypep, .x = in->types[0]};

    if (in->type_count != 1 || in->mod_count != 0 ||
        ptx_type_class((enum ptx_type)in->types[0]) != PTX_CLASS_OPAQUE)
        return -1;
    out.d = destination(d, &in->operands[0], 0);
    out.a = source(d, &in->operands[1], PTX_u64);
    if (out.d == UINT32_MAX || out.a == UINT32_MAX)
        return -1;
    count_unit(d, in);
    *emit(d, out.fn) = out;
    return 0;
}

/* txq, suq, istypep */
int
decode_texture_query(struct decoder *d, const struct ptx_insn *in)
{
    static const enum ptx_mod known[] = {
        PTX_MOD_width,
        PTX_MOD_height,
        PTX_MOD_depth,
        PTX_MOD_array_size,
        PTX_MOD_num_mipmap_levels,
        PTX_MOD_normalized_coords,
    };
    struct texture_op *op;

    if (in->op == PTX_OP_istypep)
        return decode_istypep(d, in);
    op = texture_op_new(d);
    if (op == NULL || in->operand_count != 2 || in->mod_count != 1)
        return -1;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (ptx_has_mod(in, known[i]))
            op->op = known[i];
    op->is_store = in->op == PTX_OP_suq;
    if (op->op == PTX_MOD_UNKNOWN || decode_place(d, &in->operands[1], op, NULL) != 0 ||
        decode_results(d, &in->operands[0], op, 1, 4) != 0)
        return -1;
    count_unit(d, in);
    emit(d, op_query)->extra = &op->extra;
    return 0;
}
