/* Decoding of control flow (PTX ISA 9.7.12): bra, brx.idx, call, ret, exit, trap. */
#include "../decode/emit.h"
#include "../decode/families.h"
#include "../launch.h"
#include "../source.h"
#include "../warp_fault.h"

#include <string.h>

static int
decode_bra(struct decoder *d, const struct ptx_insn *in)
{
    uint32_t at = next_insn(d);

    if (in->operand_count != 1 || in->operands[0].kind != PTX_OPERAND_LABEL)
        return -1;
    operand_read(d, &in->operands[0], OPERAND_VALUE);
    branch_to(d, at, in->operands[0].label);
    if (in->guarded) {
        struct insn *out = emit(d, op_bra);

        out->a = reg_vector(d, in->guard, PTX_pred);
        out->b = site_new(d);
        out->x = in->guard_negated;
    } else {
        emit(d, op_jump);
    }
    return 0;
}

static int
decode_brx(struct decoder *d, const struct ptx_insn *in)
{
    const struct ptx_operand *o = in->operands;
    struct extra *e;
    struct insn *out;
    uint32_t vector;

    if (in->operand_count != 2 || o[1].kind != PTX_OPERAND_TABLE ||
        !mod_read(d, in, PTX_MOD_idx))
        return -1;
    operand_read(d, &o[1], OPERAND_VALUE);
    vector = source(d, &o[0], PTX_u32);
    e = kernel_alloc(d, sizeof *e);
    if (vector == UINT32_MAX || e == NULL)
        return -1;
    e->count = o[1].count;
    e->table = kernel_alloc(d, (e->count + 1) * sizeof(const struct insn *));
    if (e->table == NULL)
        return -1;
    for (uint32_t i = 0; i < e->count; i++)
        branch_entry(d, &e->table[i], o[1].table[i]);
    out = emit(d, op_brx);
    out->extra = e;
    out->a = vector;
    out->b = site_new(d);
    return 0;
}

/* Stores the offsets of the caller's .param variables in a list; -1: it has something
 * else. */
static int
argument_offsets(struct decoder *d, const struct ptx_operand *list, struct extra *e)
{
    for (uint32_t i = 0; list != NULL && i < list->count; i++) {
        const struct ptx_operand *o = &list->list[i];
        uint64_t address;
        bool in_frame;

        if (e->count + i >= 40)
            return -1;
        if (o->kind == PTX_OPERAND_SINK) {
            e->vectors[e->count + i] = UINT32_MAX;
            continue;
        }
        if (o->kind != PTX_OPERAND_VAR || o->var->space != PTX_SPACE_PARAM ||
            variable_address(d, o->var, &address, &in_frame) != 0 || !in_frame)
            return -1;
        operand_read(d, o, OPERAND_VALUE);
        e->vectors[e->count + i] = (uint32_t)address;
    }
    return 0;
}

/* Are the arguments of the caller as large as the callee reads them? */
static bool
sizes_agree(const struct ptx_operand *list, const struct ptx_var *formal)
{
    uint32_t i = 0;

    for (; formal != NULL; formal = formal->next, i++)
        if (list == NULL || i >= list->count ||
            (list->list[i].kind == PTX_OPERAND_VAR &&
             list->list[i].var->bytes < formal->bytes))
            return false;
    return true;
}

/* call [(results),] function [, (arguments)] [, prototype] */
static int
decode_call(struct decoder *d, const struct ptx_insn *in)
{
    const struct ptx_operand *o = in->operands, *results = NULL, *arguments = NULL,
                             *target;
    struct extra *e = kernel_alloc(d, sizeof *e);
    unsigned i = 0, n = in->operand_count;
    struct insn *out;

    if (e == NULL || n == 0)
        return -1;
    if (o[i].kind == PTX_OPERAND_LIST)
        results = &o[i++];
    if (i == n)
        return -1;
    target = &o[i++];
    if (i < n && o[i].kind == PTX_OPERAND_LIST)
        arguments = &o[i++];
    if (i < n && (o[i].kind == PTX_OPERAND_NAME || o[i].kind == PTX_OPERAND_TABLE))
        operand_read(d, &o[i], OPERAND_VALUE); /* a prototype, or a list of targets */
    if (target->kind == PTX_OPERAND_FUNC)
        operand_read(d, target, OPERAND_VALUE);
    if (argument_offsets(d, arguments, e) != 0)
        return -1;
    e->count = arguments != NULL ? arguments->count : 0;
    if (target->kind == PTX_OPERAND_FUNC && !target->func->has_body)
        return decode_builtin_call(d, target->func->name, arguments, results, e);
    memset(&e->vectors[e->count], 0xff, (40 - e->count) * sizeof e->vectors[0]);
    if (argument_offsets(d, results, e) != 0)
        return -1;
    if (target->kind == PTX_OPERAND_FUNC) {
        if (target->func->is_entry || !sizes_agree(arguments, target->func->params) ||
            !sizes_agree(results, target->func->returns))
            return -1;
        e->callee = program_for(d, target->func);
        line_note_call(d, e->callee);
        emit(d, op_call)->extra = e;
        return 0;
    }
    if (target->kind != PTX_OPERAND_REG || target->offset != 0)
        return -1;
    /* An indirect call may mean any function of the module with a body. */
    for (const struct ptx_func *f = kernel_of(d)->module->ptx->funcs; f != NULL;
         f = f->next)
        if (f->has_body && !f->is_entry)
            program_for(d, f);
    out = emit(d, op_call);
    out->extra = e;
    out->x = 1;
    out->a = source(d, target, PTX_u64);
    e->imm = (int64_t)(results != NULL ? results->count : 0);
    return out->a != UINT32_MAX ? 0 : -1;
}

static const struct insn *
op_trap(struct warp *w, const struct insn *in)
{
    const struct run *r = w->worker->run;
    bool is_grid =
        source_is_from(r->kernel->module, origin_of(w, in), "/cooperative_groups.h");

    return fault_at(w, in, (unsigned)__builtin_ctz(w->mask), FAULT_TRAP, "%s",
                    is_grid && !r->launch->cooperative
                        ? "calls grid.sync() in an ordinary launch, which executes trap: "
                          "the kernel must be launched by cudaLaunchCooperativeKernel"
                        : "executes trap (an explicit abort in the code)");
}

int
decode_control(struct decoder *d, const struct ptx_insn *in)
{
    switch (in->op) {
    case PTX_OP_bra:
        return decode_bra(d, in);
    case PTX_OP_brx:
        return decode_brx(d, in);
    case PTX_OP_call:
        return decode_call(d, in);
    case PTX_OP_ret:
        emit(d, op_ret);
        return 0;
    case PTX_OP_exit:
        emit(d, op_exit);
        return 0;
    case PTX_OP_trap:
    case PTX_OP_brkpt:
        emit(d, op_trap);
        return 0;
    default:
        return -1;
    }
}
