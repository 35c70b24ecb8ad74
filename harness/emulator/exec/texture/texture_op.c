/*
 * The handle and the operands of an instruction on textures or surfaces.
 *
 * A handle comes from the program and may be any number, and a texture's memory may have
 * been freed. Both are faults; an H200 returns zeros instead for a handle that never was.
 */
#include "texture_op.h"

#include "../decode/opcode.h"
#include "../ops/access.h"
#include "../warp_fault.h"

const struct texture_info *
texture_described(struct warp *w, const struct insn *in, unsigned lane, bool surface,
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

/* --- decoding ------------------------------------------------------------ */

int
texture_geometry_of(struct decoder *d, const struct ptx_insn *in, struct geometry *g)
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
        if (mod_read(d, in, all[i].mod)) {
            *g = all[i].g;
            return 0;
        }
    }
    return -1;
}

struct texture_op *
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

const struct ptx_operand *
texture_elements(const struct ptx_operand *o, uint32_t *count)
{
    *count = o->kind == PTX_OPERAND_LIST ? o->count : 1;
    return o->kind == PTX_OPERAND_LIST ? o->list : o;
}

/* The vector of three coordinates is padded to four. */
int
texture_decode_place(struct decoder *d, const struct ptx_operand *o,
                     struct texture_op *op, const struct geometry *g, enum ptx_type type)
{
    struct ptx_operand handle = *o;
    const struct ptx_operand *list;
    uint32_t count, at = 0;

    if (!o->is_address || o->kind != PTX_OPERAND_REG || o->offset != 0)
        return -1;
    address_read(d, o);
    handle.is_address = false;
    op->handle = source(d, &handle, PTX_u64);
    if (op->handle == UINT32_MAX)
        return -1;
    if (g == NULL) /* a query */
        return o->second == NULL ? 0 : -1;
    if (o->second == NULL)
        return -1;
    list = texture_elements(o->second, &count);
    if (count < g->dims + (g->layered ? 1u : 0u) || count == 3)
        return -1;
    if (g->layered && (op->layer = source(d, &list[at++], PTX_u32)) == UINT32_MAX)
        return -1;
    for (unsigned i = 0; i < g->dims; i++)
        if ((op->coordinates[i] = element(d, &list[at++], type)) == UINT32_MAX)
            return -1;
    if (at == 3 && count == 4)
        operand_read(d, &list[3], OPERAND_VALUE);
    return 0;
}

int
texture_decode_results(struct decoder *d, const struct ptx_operand *o,
                       struct texture_op *op, uint32_t wanted, uint32_t bytes)
{
    uint32_t count;
    const struct ptx_operand *list = texture_elements(o, &count);

    if (count != wanted)
        return -1;
    for (uint32_t i = 0; i < count; i++) {
        if (list[i].kind == PTX_OPERAND_SINK)
            continue;
        op->data[i] = destination(d, &list[i], bytes);
        if (op->data[i] == UINT32_MAX)
            return -1;
    }
    if (o->second != NULL && (op->resident = destination(d, o->second, 0)) == UINT32_MAX)
        return -1;
    return 0;
}
