/*
 * The instructions on textures, lane by lane: tex, tld4, txq, istypep (PTX ISA 9.7.10),
 * and suq, which asks the same of surfaces (9.7.11.3). Handles are known in registers
 * only, which is what nvcc of CUDA 12 and newer emits: .texref and .surfref variables are
 * not.
 */
#include "../cost/count.h"
#include "../decode/families.h"
#include "../decode/opcode.h"
#include "../links.h"
#include "../warp_fault.h"
#include "texture_op.h"

/* --- tex, tld4 ----------------------------------------------------------- */

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

/* The texels that a request reads: of each lane the first, then of each the second. */
struct texels {
    uint64_t address[TEXELS_READ][LANES];
    uint32_t lanes[TEXELS_READ];
    unsigned most; /* of one lane */
};

static void
texels_add(struct texels *all, const struct sample *s, unsigned lane)
{
    for (; all->most < s->reads; all->most++)
        all->lanes[all->most] = 0;
    for (unsigned i = 0; i < s->reads; i++) {
        all->address[i][lane] = s->t->address + s->read[i];
        all->lanes[i] |= 1u << lane;
    }
}

/* Counts them as one request, for which the warp waits once. */
static void
texels_count(struct warp *w, uint32_t slot, const struct texels *all)
{
    struct site_counts *c = site_counts(w, slot);
    uint64_t requests = c->global_requests + (all->most != 0);
    uint32_t missed = w->missed + c->waits;

    for (unsigned i = 0; i < all->most; i++) {
        count_global(w, slot, all->address[i], all->lanes[i]);
        for (uint32_t m = all->lanes[i]; links_follow(w, PTX_SPACE_GLOBAL) && m != 0;
             m &= m - 1)
            links_any(w, slot, PTX_SPACE_GLOBAL, all->address[i][__builtin_ctz(m)], 1,
                      LINKS_READ);
    }
    c->global_requests = requests;
    if (w->missed > missed)
        w->missed = missed;
}

static const struct insn *
op_tex(struct warp *w, const struct insn *in)
{
    const struct texture_op *op = texture_op_of(in);
    struct site_counts *c = site_counts(w, op->slot);
    uint64_t handle = 0;
    struct texels all;
    const struct texture_info *t = NULL;
    struct allocation *memory = NULL;
    struct sample s = {0};

    all.most = 0;
    for (uint32_t m = w->mask; m != 0; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctz(m);
        uint64_t own = lane_value(w, op->handle, lane, 8), offset;
        uint32_t out[4];

        if (t == NULL || own != handle)
            t = texture_described(w, in, lane, false, &memory);
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
        texels_add(&all, &s, lane);
        c->global_load_bytes += (uint64_t)s.reads * texel_bytes(t);
        for (unsigned i = 0; i < 4; i++)
            lane_result(w, op->data[i], lane, out[i]);
    }
    if (op->resident != UINT32_MAX)
        *(uint32_t *)(void *)(w->regs + op->resident) |= w->mask;
    texels_count(w, op->slot, &all);
    return in + 1;
}

/* --- txq, suq ------------------------------------------------------------ */

static const struct insn *
op_query(struct warp *w, const struct insn *in)
{
    const struct texture_op *op = texture_op_of(in);

    for (uint32_t m = w->mask; m != 0; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctz(m);
        struct allocation *memory;
        const struct texture_info *t =
            texture_described(w, in, lane, op->is_store, &memory);
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

/* --- decoding ------------------------------------------------------------ */

static int
decode_vector(struct decoder *d, const struct ptx_operand *o, uint32_t vectors[3],
              unsigned dims)
{
    uint32_t count;
    const struct ptx_operand *list = texture_elements(o, &count);

    if (count < dims)
        return -1;
    for (unsigned i = 0; i < dims; i++)
        if ((vectors[i] = source(d, &list[i], PTX_f32)) == UINT32_MAX)
            return -1;
    if (dims == 3 && count == 4) /* padded */
        operand_read(d, &list[3], OPERAND_VALUE);
    return 0;
}

/* tex, tld4 */
int
decode_texture(struct decoder *d, const struct ptx_insn *in)
{
    struct texture_op *op = texture_op_new(d);
    const struct ptx_operand *o = in->operands;
    bool is_cube = ptx_has_mod(in, PTX_MOD_cube) || ptx_has_mod(in, PTX_MOD_acube);
    enum ptx_mod component;
    unsigned used = 2;
    struct geometry g;

    if (op == NULL || in->operand_count < 2 || in->type_count != 2 ||
        texture_geometry_of(d, in, &g) != 0 || !mod_read(d, in, PTX_MOD_v4) ||
        ptx_type_bytes(type_read(d, in, 0)) != 4 ||
        ptx_type_class(type_read(d, in, 0)) == PTX_CLASS_PACKED)
        return -1;
    op->integer = type_read(d, in, 1) == PTX_s32;
    if (!op->integer && type_read(d, in, 1) != PTX_f32)
        return -1;
    if (texture_decode_place(d, &o[1], op, &g, type_read(d, in, 1)) != 0 ||
        texture_decode_results(d, &o[0], op, 4, 4) != 0)
        return -1;
    if (in->op == PTX_OP_tld4) {
        op->gather = true;
        component = MOD_READ_ANY(d, in, PTX_MOD_r, PTX_MOD_g, PTX_MOD_b, PTX_MOD_a);
        if (component == PTX_MOD_UNKNOWN)
            return -1;
        op->component = component == PTX_MOD_r   ? 0
                        : component == PTX_MOD_g ? 1
                        : component == PTX_MOD_b ? 2
                                                 : 3;
    } else if (mod_read(d, in, PTX_MOD_level)) {
        op->choice = LEVEL_GIVEN;
        if (in->operand_count < 3 || op->integer ||
            (op->level = source(d, &o[used++], PTX_f32)) == UINT32_MAX)
            return -1;
    } else if (mod_read(d, in, PTX_MOD_grad)) {
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
decode_istypep(struct decoder *d, const struct ptx_insn *in)
{
    struct insn out = {.fn = op_istypep, .x = type_read(d, in, 0)};

    if (in->type_count != 1 || ptx_type_class(type_read(d, in, 0)) != PTX_CLASS_OPAQUE)
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
    struct texture_op *op;

    if (in->op == PTX_OP_istypep)
        return decode_istypep(d, in);
    op = texture_op_new(d);
    if (op == NULL || in->operand_count != 2 || type_read(d, in, 0) != PTX_b32)
        return -1;
    op->op = MOD_READ_ANY(d, in, PTX_MOD_width, PTX_MOD_height, PTX_MOD_depth,
                          PTX_MOD_array_size, PTX_MOD_num_mipmap_levels,
                          PTX_MOD_normalized_coords);
    op->is_store = in->op == PTX_OP_suq;
    if (op->op == PTX_MOD_UNKNOWN ||
        texture_decode_place(d, &in->operands[1], op, NULL, PTX_s32) != 0 ||
        texture_decode_results(d, &in->operands[0], op, 1, 4) != 0)
        return -1;
    count_unit(d, in);
    emit(d, op_query)->extra = &op->extra;
    return 0;
}
