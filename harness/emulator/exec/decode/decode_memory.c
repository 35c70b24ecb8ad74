/* Decoding of loads and stores (PTX ISA 9.7.9.8, .11) and of hints that do nothing here.
 */
#include "decode.h"

/* Volatile and ordered accesses are what waiting loops are made of. */
static bool
is_ordered(const struct ptx_insn *in)
{
    return ptx_has_mod(in, PTX_MOD_volatile_) || ptx_has_mod(in, PTX_MOD_relaxed) ||
           ptx_has_mod(in, PTX_MOD_acquire) || ptx_has_mod(in, PTX_MOD_release) ||
           ptx_has_mod(in, PTX_MOD_mmio);
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

/* The registers of the data; widths must hold what memory holds. */
static int
decode_data(struct decoder *d, const struct ptx_operand *o, struct access *ac,
            enum ptx_type type, bool is_store)
{
    const struct ptx_operand *list = o->kind == PTX_OPERAND_LIST ? o->list : o;
    uint32_t count = o->kind == PTX_OPERAND_LIST ? o->count : 1;
    uint32_t row_bytes = 0;

    if (count != ac->elements)
        return -1;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t width = register_bytes(type);

        if (list[i].kind == PTX_OPERAND_REG) {
            ac->rows[i] = source_any(d, &list[i], &width);
        } else if (is_store) {
            ac->rows[i] = source(d, &list[i], type);
        } else {
            for (uint32_t k = 0; k < count; k++) /* _: as wide as its neighbours */
                if (list[k].kind == PTX_OPERAND_REG)
                    width = register_bytes(list[k].type);
            ac->rows[i] = destination(d, &list[i], width);
        }
        if (ac->rows[i] == UINT32_MAX || width < ac->bytes ||
            (row_bytes != 0 && width != row_bytes))
            return -1;
        row_bytes = width;
    }
    ac->row_bytes = (uint8_t)row_bytes;
    return 0;
}

static bool
is_kernel_param(const struct decoder *d, const struct access *ac, enum ptx_space space)
{
    uint32_t bytes = (uint32_t)ac->bytes * ac->elements;

    return space == PTX_SPACE_PARAM && ac->address == UINT32_MAX && ac->offset >= 0 &&
           (uint64_t)ac->offset + bytes <= d->kernel->param_bytes;
}

/* Which array the access must stay in. */
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

static int
decode_load_store(struct decoder *d, const struct ptx_insn *in)
{
    bool is_store = in->op == PTX_OP_st;
    struct access *ac = kernel_alloc(d, sizeof *ac);
    enum ptx_space space = insn_space(in);
    enum ptx_type type = (enum ptx_type)in->types[0];
    struct insn out = {0};

    /* A cache policy is a third operand and says nothing about the result. */
    if (ac == NULL || in->type_count != 1 || in->operand_count < 2)
        return -1;
    ac->elements = ptx_has_mod(in, PTX_MOD_v2)   ? 2
                   : ptx_has_mod(in, PTX_MOD_v4) ? 4
                   : ptx_has_mod(in, PTX_MOD_v8) ? 8
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
    if (is_ordered(in)) {
        ac->flags |= ACCESS_WAITS;
        if (!is_store && space != PTX_SPACE_SHARED && space != PTX_SPACE_LOCAL)
            d->kernel->serial = true;
    }
    if (decode_address(d, &in->operands[is_store ? 0 : 1], ac, &space) != 0 ||
        decode_data(d, &in->operands[is_store ? 1 : 0], ac, type, is_store) != 0)
        return -1;
    ac->slot = site_new(d);
    if (!d->no_memory && ac->bytes * ac->elements > 4)
        d->kernel->slots[ac->slot].wavefronts = (uint8_t)(ac->bytes * ac->elements / 4);
    ac->space = space;
    ac->array_end = INT64_MAX;
    if (space == PTX_SPACE_SHARED)
        find_array(d, &in->operands[is_store ? 0 : 1], ac);
    if (!is_store && is_kernel_param(d, ac, space) && d->func->is_entry)
        out.fn = access_ops(d->machine)->load_kernel_param;
    else
        out.fn = access_handler(d->machine, ac, space, is_store);
    /* Inside functions .param variables are local; an address of one is, too. */
    if (space == PTX_SPACE_PARAM && !d->func->is_entry)
        out.fn = access_handler(d->machine, ac, PTX_SPACE_LOCAL, is_store);
    if (out.fn == NULL)
        return -1;
    out.access = ac;
    *emit(d, out.fn) = out;
    return 0;
}

static const struct insn *
op_nothing(struct warp *w, const struct insn *in)
{
    (void)w;
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

static int
decode_isspacep(struct decoder *d, const struct ptx_insn *in)
{
    struct insn out = {.fn = op_isspacep, .x = (uint32_t)insn_space(in)};

    if (in->operand_count != 2 || in->mod_count != 1 || in->type_count != 0 ||
        out.x == PTX_SPACE_SHARED) /* cluster.c knows whose */
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
decode_memory(struct decoder *d, const struct ptx_insn *in)
{
    switch (in->op) {
    case PTX_OP_ld:
    case PTX_OP_ldu:
    case PTX_OP_st:
        return decode_load_store(d, in);
    case PTX_OP_isspacep:
        return decode_isspacep(d, in);
    case PTX_OP_alloca:
    case PTX_OP_stacksave:
    case PTX_OP_stackrestore:
        return decode_stack(d, in);
    case PTX_OP_prefetch: /* hints */
    case PTX_OP_prefetchu:
    case PTX_OP_applypriority:
    case PTX_OP_discard:
    case PTX_OP_pmevent:
    case PTX_OP_griddepcontrol: /* a dependent launch begins when its predecessor ended */
    case PTX_OP_setmaxnreg:
        emit(d, op_nothing);
        return 0;
    default:
        return -1;
    }
}
