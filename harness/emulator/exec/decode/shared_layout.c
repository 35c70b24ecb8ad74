/*
 * Where static shared variables lie. PTX says nothing about it, yet programs depend on
 * it. A float4 that is read from an array of floats works on a GPU only because of what
 * lies before the array. So the order is that of ptxas, as found in its cubins:
 *
 *   1. the kernel's own variables, in the order of their declarations;
 *   2. variables of the module that the kernel or what it calls names, likewise;
 *   3. variables of the functions that it calls (given addresses when they are decoded);
 *
 * each at the next multiple of its alignment, and dynamic shared memory after them all.
 */
#include "decoder.h"

#include <stdlib.h>

/* The functions and variables that the kernel reaches, by their indices. */
struct reach {
    const struct ptx_func **pending;
    uint32_t pending_count;
    bool *functions, *variables;
};

static void
reach_function(struct reach *r, const struct ptx_func *func)
{
    if (func == NULL || r->functions[func->index])
        return;
    r->functions[func->index] = true;
    r->pending[r->pending_count++] = func;
}

static void
reach_operand(struct reach *r, const struct ptx_operand *o)
{
    if (o->kind == PTX_OPERAND_FUNC || o->kind == PTX_OPERAND_NAME)
        reach_function(r, o->func);
    else if (o->kind == PTX_OPERAND_VAR && o->var->owner == NULL)
        r->variables[o->var->index] = true;
    for (uint32_t i = 0; o->kind == PTX_OPERAND_LIST && i < o->count; i++)
        reach_operand(r, &o->list[i]);
}

static void
reach_all(struct reach *r, const struct ptx_func *entry)
{
    reach_function(r, entry);
    while (r->pending_count > 0) {
        const struct ptx_func *func = r->pending[--r->pending_count];

        for (uint32_t i = 0; i < func->insn_count; i++)
            for (uint32_t k = 0; k < func->insns[i].operand_count; k++)
                reach_operand(r, &func->insns[i].operands[k]);
    }
}

static void
place(struct decoder *d, const struct ptx_var *v)
{
    uint64_t address;
    bool in_frame;

    /* A variable without an address is reported where an instruction names it. */
    if (v->space == PTX_SPACE_SHARED)
        (void)variable_address(d, v, &address, &in_frame);
}

void
shared_layout(struct decoder *d)
{
    const struct ptx_module *ptx = d->kernel->module->ptx;
    const struct ptx_func *entry = d->kernel->func;
    struct reach r = {.pending =
                          calloc((size_t)ptx->func_count + 1, sizeof(struct ptx_func *)),
                      .functions = calloc((size_t)ptx->func_count + 1, sizeof(bool)),
                      .variables = calloc((size_t)ptx->var_count + 1, sizeof(bool))};

    if (r.pending == NULL || r.functions == NULL || r.variables == NULL) {
        d->no_memory = true;
    } else {
        reach_all(&r, entry);
        for (const struct ptx_var *v = entry->vars; v != NULL; v = v->next)
            place(d, v);
        for (const struct ptx_var *v = ptx->vars; v != NULL; v = v->next)
            if (r.variables[v->index])
                place(d, v);
    }
    free(r.pending);
    free(r.functions);
    free(r.variables);
}
