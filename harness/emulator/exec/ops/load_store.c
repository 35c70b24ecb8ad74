/* Decodes loads and stores (PTX ISA 9.7.9.8, .11). access.inc has the handlers. */
#include "../decode/emit.h"
#include "../decode/families.h"
#include "../race/race.h"
#include "ordered.h"

/* Is this an access as loops that wait make it, volatile or ordered? */
static bool
is_ordered(const struct ptx_insn *in)
{
    return ptx_has_mod(in, PTX_MOD_volatile_) || ptx_has_mod(in, PTX_MOD_relaxed) ||
           ptx_has_mod(in, PTX_MOD_acquire) || ptx_has_mod(in, PTX_MOD_release) ||
           ptx_has_mod(in, PTX_MOD_mmio);
}

/* Loads of what others may write meanwhile, and those that are told to, ask L2 (PTX ISA
 * 9.7.9.1). */
static bool
passes_l1(const struct ptx_insn *in, enum ptx_space space)
{
    return (space == PTX_SPACE_GLOBAL || space == PTX_SPACE_GENERIC) &&
           (is_ordered(in) || ptx_has_mod(in, PTX_MOD_cg) || ptx_has_mod(in, PTX_MOD_cv));
}

/* [reg+imm], [var+imm], [imm] */
static int
decode_address(struct decoder *d, const struct ptx_operand *o, struct access *ac,
               enum ptx_space *space)
{
    uint64_t address = 0;
    bool in_frame = false;
    uint32_t width;

    if (!o->is_address || o->second != NULL)
        return -1;
    address_read(d, o);
    ac->offset = o->offset;
    ac->address = UINT32_MAX;
    switch (o->kind) {
    case PTX_OPERAND_REG:
        ac->address = source_any(d, o, &width);
        if (ac->address == UINT32_MAX || (width != 4 && width != 8))
            return -1;
        if (width == 8)
            ac->flags |= ACCESS_WIDE_ADDRESS;
        return 0;
    case PTX_OPERAND_INT:
        ac->offset += (int64_t)o->bits;
        return 0;
    case PTX_OPERAND_VAR:
        if (variable_address(d, o->var, &address, &in_frame) != 0)
            return -1;
        if (o->var->space == PTX_SPACE_SHARED &&
            (o->var->bytes == 0 || o->var->is_extern)) {
            struct ptx_operand base = {.kind = PTX_OPERAND_VAR, .var = o->var};

            ac->address = source(d, &base, PTX_u32);
            return ac->address != UINT32_MAX ? 0 : -1;
        }
        ac->offset += (int64_t)address;
        if (in_frame) {
            ac->flags |= ACCESS_FRAME;
            *space = PTX_SPACE_LOCAL;
        }
        return 0;
    default:
        return -1;
    }
}

/* Decodes the registers of the data, which must be as wide as the elements in memory. */
static int
decode_data(struct decoder *d, const struct ptx_operand *o, struct access *ac,
            enum ptx_type type, bool is_store)
{
    const struct ptx_operand *list = o->kind == PTX_OPERAND_LIST ? o->list : o;
    uint32_t count = o->kind == PTX_OPERAND_LIST ? o->count : 1;
    uint32_t lane_bytes = 0;

    if (count != ac->elements)
        return -1;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t width = register_bytes(type);

        if (o->kind != PTX_OPERAND_LIST && !operand_fits(o, type))
            return -1;
        if (list[i].kind == PTX_OPERAND_REG) {
            ac->vectors[i] = source_any(d, &list[i], &width);
        } else if (is_store) {
            ac->vectors[i] = source(d, &list[i], type);
        } else {
            for (uint32_t k = 0; k < count; k++) /* _: as wide as its neighbours */
                if (list[k].kind == PTX_OPERAND_REG)
                    width = register_bytes(list[k].type);
            ac->vectors[i] = destination(d, &list[i], width);
        }
        if (ac->vectors[i] == UINT32_MAX || width < ac->bytes ||
            (lane_bytes != 0 && width != lane_bytes))
            return -1;
        lane_bytes = width;
    }
    ac->lane_bytes = (uint8_t)lane_bytes;
    return 0;
}

static bool
is_kernel_param(const struct decoder *d, const struct access *ac, enum ptx_space space)
{
    uint32_t bytes = (uint32_t)ac->bytes * ac->elements;

    return space == PTX_SPACE_PARAM && ac->address == UINT32_MAX && ac->offset >= 0 &&
           (uint64_t)ac->offset + bytes <= kernel_of(d)->param_bytes;
}

/* Finds the array in which the access must stay. */
static void
find_array(struct decoder *d, const struct ptx_operand *o, struct access *ac)
{
    const struct ptx_var *v = shared_origin(d, o);
    uint64_t address;
    bool in_frame;

    if (v == NULL || variable_address(d, v, &address, &in_frame) != 0)
        return;
    ac->array = v;
    ac->array_at = address;
    ac->array_end = address + v->bytes;
}

int
decode_memory(struct decoder *d, const struct ptx_insn *in)
{
    bool is_store = in->op == PTX_OP_st;
    struct access *ac = kernel_alloc(d, sizeof *ac);
    enum ptx_space space = access_space(d, in, &in->operands[is_store ? 0 : 1]);
    enum ptx_type type = type_read(d, in, 0);
    enum ptx_mod vector;
    struct insn out = {0};

    if (is_store && mod_read(d, in, PTX_MOD_async))
        return decode_store_async(d, in);
    if (is_store && mod_read(d, in, PTX_MOD_bulk))
        return decode_store_bulk(d, in);
    /* A cache policy is a third operand and says nothing about the result. */
    if (ac == NULL || in->type_count != 1)
        return -1;
    vector = MOD_READ_ANY(d, in, PTX_MOD_v2, PTX_MOD_v4, PTX_MOD_v8);
    ac->elements = vector == PTX_MOD_v2   ? 2
                   : vector == PTX_MOD_v4 ? 4
                   : vector == PTX_MOD_v8 ? 8
                                          : 1;
    if (type == PTX_b128) { /* a pair of registers of 64 bits */
        if (ac->elements != 1)
            return -1;
        ac->elements = 2;
        type = PTX_b64;
    }
    ac->bytes = (uint8_t)ptx_type_bytes(type);
    if (ac->bytes == 0 || ac->bytes > 8 || ac->bytes * ac->elements > 32)
        return -1;
    if (ptx_type_class(type) == PTX_CLASS_SINT)
        ac->flags |= ACCESS_SIGNED;
    if (!is_ordered(in) && race_is_quiet(d, in))
        ac->flags |= ACCESS_QUIET;
    if (ptx_has_mod(in, PTX_MOD_release))
        ac->flags |= ACCESS_RELEASES;
    if (space == PTX_SPACE_PARAM)
        ac->flags |= ACCESS_PARAMETER;
    if (passes_l1(in, space))
        ac->flags |= ACCESS_PAST_L1;
    if (is_ordered(in)) {
        ac->flags |= ACCESS_WAITS;
        if (!is_store && space == PTX_SPACE_SHARED)
            kernel_of(d)->shared_flags = true;
        else if (!is_store && space != PTX_SPACE_LOCAL)
            kernel_of(d)->serial = true;
    }
    if (decode_address(d, &in->operands[is_store ? 0 : 1], ac, &space) != 0 ||
        decode_data(d, &in->operands[is_store ? 1 : 0], ac, type, is_store) != 0)
        return -1;
    if (in->operand_count == 3 && mod_read(d, in, PTX_MOD_l2_cache_hint))
        hints_read(d, in, 2, 3);
    ac->slot = site_new(d);
    if (is_store)
        site_no_wait(d, ac->slot);
    else if ((ac->flags & ACCESS_PAST_L1) != 0)
        site_past_l1(d, ac->slot);
    if (ac->bytes * ac->elements > 4)
        site_wavefronts(d, ac->slot, ac->bytes * ac->elements / 4u);
    ac->space = space;
    ac->is_copy = is_copy(d, in);
    ac->array_end = INT64_MAX;
    if (space == PTX_SPACE_SHARED)
        find_array(d, &in->operands[is_store ? 0 : 1], ac);
    if (!is_store && is_kernel_param(d, ac, space) && function_of(d)->is_entry)
        out.fn = access_ops(machine_of(d))->load_kernel_param;
    else
        out.fn = access_handler(machine_of(d), ac, space, is_store);
    /* Inside functions .param variables are local; an address of one is, too. */
    if (space == PTX_SPACE_PARAM && !function_of(d)->is_entry)
        out.fn = access_handler(machine_of(d), ac, PTX_SPACE_LOCAL, is_store);
    if (out.fn == NULL)
        return -1;
    out.access = ac;
    *emit(d, out.fn) = out;
    if (space == PTX_SPACE_GLOBAL || space == PTX_SPACE_SHARED ||
        space == PTX_SPACE_GENERIC)
        order_note(d, space, ac, &ac->plain,
                   is_store         ? op_ordered_store
                   : is_ordered(in) ? op_ordered_load
                                    : op_ordered_plain_load);
    return 0;
}
