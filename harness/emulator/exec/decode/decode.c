/*
 * Decodes a kernel once: PTX becomes an array of instructions (code.h). Each function
 * that the kernel can reach is decoded for it, because shared memory has its own layout
 * in each kernel.
 *
 * An instruction of unknown form becomes op_unsupported, which faults when it is
 * executed. So a kernel runs that never gets there.
 *
 * "@p insn" becomes op_guard and insn. Where the instruction may park the path (calls,
 * barriers, *.sync, exits), it becomes a branch around insn, so that a handler that parks
 * always has the whole path.
 *
 * Code is divided into runs: straight sequences that are entered only at their header
 * (op_run). Executions are counted by run. What the instructions count as is added up
 * after the launch.
 */
#include "../fault.h"
#include "critical.h"
#include "families.h"
#include "opcode.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- for decoders of families --------------------------------------------- */

struct machine *
machine_of(const struct decoder *d)
{
    return d->machine;
}

struct kernel *
kernel_of(const struct decoder *d)
{
    return d->kernel;
}

const struct ptx_func *
function_of(const struct decoder *d)
{
    return d->func;
}

const struct ptx_insn *
current_insn(const struct decoder *d)
{
    return d->current;
}

uint32_t
mentions_of(const struct decoder *d, uint32_t reg)
{
    return d->mentions[reg];
}

handler
lane_handler(const struct decoder *d, struct lane_key key)
{
    return lane_find(d->machine, key);
}

uint32_t
carry_vector(struct decoder *d)
{
    if (d->carry == UINT32_MAX)
        d->carry = new_cleared_vector(d, 0);
    return d->carry;
}

struct stack
stack_of(const struct decoder *d)
{
    return d->stack;
}

void *
kernel_alloc(struct decoder *d, size_t bytes)
{
    void *memory = kernel_memory(d->kernel, bytes);

    if (memory == NULL)
        d->no_memory = true;
    return memory;
}

/* --- emitting ------------------------------------------------------------ */

struct insn *
emit(struct decoder *d, handler fn)
{
    struct insn *in;

    if (d->count == d->max) {
        uint32_t max = d->max != 0 ? d->max * 2 : 256;
        struct insn *insns = realloc(d->insns, max * sizeof *insns);
        const struct ptx_insn **origin;

        if (insns != NULL)
            d->insns = insns;
        origin = realloc(d->origin, max * sizeof(const struct ptx_insn *));
        if (origin != NULL)
            d->origin = origin;
        if (insns == NULL || origin == NULL) {
            static struct insn nowhere; /* decoding has failed; nobody executes this */

            d->no_memory = true;
            return &nowhere;
        }
        d->max = max;
    }
    in = &d->insns[d->count];
    *in = (struct insn){.fn = fn};
    d->origin[d->count++] = d->current;
    return in;
}

uint32_t
tally_new(struct decoder *d)
{
    return d->kernel->tally_count++;
}

void
count_work(struct decoder *d, enum work kind, uint32_t amount)
{
    share_of(d, d->tally)->work[kind] += amount;
}

void
count_instructions(struct decoder *d, uint32_t more)
{
    if (!d->no_memory)
        d->insns[d->run_insn].y += more;
}

void
open_run(struct decoder *d)
{
    uint32_t tally;
    struct insn *out;

    critical_close(d);
    tally = tally_new(d);
    d->run_insn = d->region_insn = d->count;
    d->run_tally = d->region_tally = d->tally = tally;
    out = emit(d, op_run);
    out->x = tally;
    out->d = 1;
}

/* Begins another run within the region of the last one (critical.c). */
static void
continue_run(struct decoder *d)
{
    uint32_t tally;

    critical_end_run(d);
    tally = tally_new(d);
    d->run_insn = d->count;
    d->run_tally = d->tally = tally;
    emit(d, op_run)->x = tally;
}

uint32_t
next_insn(const struct decoder *d)
{
    return d->count;
}

static void
fixup_add(struct decoder *d, struct fixup fixup)
{
    if (d->fixup_count == d->fixup_max) {
        uint32_t max = d->fixup_max != 0 ? d->fixup_max * 2 : 64;
        struct fixup *list = realloc(d->fixups, max * sizeof *list);

        if (list == NULL) {
            d->no_memory = true;
            return;
        }
        d->fixups = list;
        d->fixup_max = max;
    }
    d->fixups[d->fixup_count++] = fixup;
}

void
branch_to(struct decoder *d, uint32_t insn, uint32_t label)
{
    fixup_add(d, (struct fixup){insn, label, NULL});
}

void
branch_entry(struct decoder *d, const struct insn **entry, uint32_t label)
{
    fixup_add(d, (struct fixup){0, label, entry});
}

/* --- one instruction ----------------------------------------------------- */

/* Is the instruction read whole, with as many operands as its row says? */
static bool
is_readable(const struct ptx_insn *in, const struct opcode *row)
{
    bool readable = !in->too_long && in->operand_count >= row->least &&
                    in->operand_count <= row->most;

    for (unsigned i = 0; readable && i < in->mod_count; i++)
        readable = in->mods[i] != PTX_MOD_UNKNOWN;
    return readable;
}

static void
decode_by_owner(struct decoder *d, const struct ptx_insn *in)
{
    const struct opcode *row = opcode_of(in->op);
    uint32_t count = d->count, fixups = d->fixup_count;
    const char *reason = NULL;
    struct insn *out;
    struct extra *e;

    reading_begin(d, in);
    if (is_readable(in, row) && row->decode(d, in) == 0) {
        reason = fields_reason(d, in);
        if (reason == NULL)
            return;
    }
    d->count = count;
    d->fixup_count = fixups;
    e = kernel_alloc(d, sizeof *e);
    if (e == NULL)
        return;
    e->origin = in;
    e->reason = reason;
    out = emit(d, op_unsupported);
    out->extra = e;
}

/* Emits a guarded instruction that may park. The other lanes branch around it. */
static void
decode_around(struct decoder *d, const struct ptx_insn *in, uint32_t guard)
{
    uint32_t branch = d->count;
    struct insn *out = emit(d, op_bra);

    out->a = guard;
    out->b = site_new(d);
    out->x = !in->guard_negated;
    open_run(d);
    share_of(d, d->run_tally)->thread_insns++;
    decode_by_owner(d, in);
    open_run(d);
    if (!d->no_memory)
        d->insns[branch].y = d->run_insn; /* resolved in finish() */
}

static void
decode_insn(struct decoder *d, const struct ptx_insn *in)
{
    uint32_t guard = UINT32_MAX, guard_at = UINT32_MAX;
    struct share *run;

    d->current = in;
    d->tally = d->run_tally;
    if (d->no_memory)
        return;
    run = share_of(d, d->run_tally);
    run->warp_insns++;
    d->insns[d->run_insn].y++; /* for the clock */
    if (!in->guarded || in->op == PTX_OP_bra)
        run->thread_insns++;
    critical_add(d, in);
    if (d->left_out[in - d->func->insns] != 0)
        return;
    if (in->guarded && in->op != PTX_OP_bra) {
        guard = reg_vector(d, in->guard, PTX_pred);
        if (may_park(in)) {
            decode_around(d, in, guard);
            return;
        }
        d->tally = tally_new(d);
        if (!d->no_memory) {
            struct insn *out;

            guard_at = d->count;
            out = emit(d, op_guard);

            share_of(d, d->tally)->thread_insns = 1;
            out->a = guard;
            out->x = d->tally;
            out->y = in->guard_negated;
        }
    }
    decode_by_owner(d, in);
    if (guard_at != UINT32_MAX && !d->no_memory && d->count != guard_at + 2) {
        d->insns[guard_at].fn = op_guard_several;
        d->insns[guard_at].b = d->count - guard_at - 1;
    }
    if (may_park(in) && in->op != PTX_OP_ret && in->op != PTX_OP_exit) {
        if (ends_region(in))
            open_run(d);
        else
            continue_run(d);
    }
}

/* --- one function -------------------------------------------------------- */

static void
add_frame_var(struct decoder *d, const struct ptx_var *v, uint32_t *at)
{
    uint32_t align = v->align <= 16 ? v->align : 16;

    *at = (*at + align - 1) & ~(align - 1);
    d->frame_vars[d->frame_var_count++] = (struct frame_var){v, *at};
    *at += v->bytes < (1u << 20) ? (uint32_t)v->bytes : 1u << 20;
}

/* Places the .local and .param variables of the function in the frame's local memory. */
static int
place_frame_vars(struct decoder *d)
{
    const struct ptx_func *f = d->func;
    struct program *p = d->program;
    uint32_t n = f->var_count, at = 0;

    for (const struct ptx_var *v = f->params; v != NULL; v = v->next)
        n++;
    for (const struct ptx_var *v = f->returns; v != NULL; v = v->next)
        n++;
    d->frame_vars = kernel_alloc(d, (n + 1) * sizeof *d->frame_vars);
    p->params = kernel_alloc(d, (n + 1) * sizeof *p->params);
    p->returns = kernel_alloc(d, (n + 1) * sizeof *p->returns);
    if (d->frame_vars == NULL || p->params == NULL || p->returns == NULL)
        return -1;
    for (const struct ptx_var *v = f->params; v != NULL && !f->is_entry; v = v->next) {
        add_frame_var(d, v, &at);
        p->params[p->param_count++] = (struct param_slot){
            d->frame_vars[d->frame_var_count - 1].offset, (uint32_t)v->bytes};
    }
    for (const struct ptx_var *v = f->returns; v != NULL; v = v->next) {
        add_frame_var(d, v, &at);
        p->returns[p->return_count++] = (struct param_slot){
            d->frame_vars[d->frame_var_count - 1].offset, (uint32_t)v->bytes};
    }
    for (const struct ptx_var *v = f->vars; v != NULL; v = v->next) {
        if (at > (1u << 20))
            break;
        if (v->space == PTX_SPACE_LOCAL || v->space == PTX_SPACE_PARAM)
            add_frame_var(d, v, &at);
    }
    d->stack = stack_place(d, &at);
    p->local_bytes = (at + 15) & ~15u;
    return 0;
}

static void
decode_block(struct decoder *d, const struct code_block *b, const struct code_block *next)
{
    if (critical_continues(d, b))
        continue_run(d);
    else
        open_run(d);
    if (d->no_memory)
        return;
    d->starts[b->first] = d->run_insn;
    vector_reuse_block(d, b);
    for (uint32_t i = b->first; i < b->end && !d->no_memory; i++) {
        decode_insn(d, &d->func->insns[i]);
        vector_reuse_after(d, i);
    }
    if (!b->falls_through) {
        /* A function without ret at its end ends as if it had one. */
        d->current = NULL;
        emit(d, op_ret);
    } else if (next == NULL || next->first != b->end) {
        d->current = NULL;
        branch_to(d, d->count, b->end);
        emit(d, op_jump);
    }
}

static void
finish(struct decoder *d)
{
    struct program *p = d->program;

    for (uint32_t i = 0; i < d->count; i++)
        if (d->insns[i].fn == op_bra && d->insns[i].y != 0)
            d->insns[i].target = &d->insns[d->insns[i].y];
    for (uint32_t i = 0; i < d->fixup_count; i++) {
        const struct fixup *f = &d->fixups[i];
        uint32_t start =
            f->target < d->func->insn_count ? d->starts[f->target] : UINT32_MAX;
        /* A label behind the last instruction is the function's end. */
        const struct insn *target = &d->insns[start != UINT32_MAX ? start : d->count - 1];

        if (f->slot != NULL)
            *f->slot = target;
        else
            d->insns[f->insn].target = target;
    }
    p->insns = d->insns;
    p->origin = d->origin;
    p->insn_count = d->count;
    p->frame_bytes = d->frame_bytes;
    p->constants = d->constants;
    p->constant_count = d->constant_count;
    p->specials = d->specials;
    p->special_count = d->special_count;
    d->insns = NULL;
    d->origin = NULL;
    d->constants = NULL;
    d->specials = NULL;
}

static void
count_operand(struct decoder *d, const struct ptx_operand *o)
{
    if (o->kind == PTX_OPERAND_REG && d->mentions[o->reg] < UINT8_MAX)
        d->mentions[o->reg]++;
    for (uint32_t i = 0; o->kind == PTX_OPERAND_LIST && i < o->count; i++)
        count_operand(d, &o->list[i]);
    if (o->second != NULL)
        count_operand(d, o->second);
}

/* Counts how often the text names each register. The result of an atomic that is named
 * once is unused. */
static void
count_reads(struct decoder *d)
{
    const struct ptx_func *f = d->func;

    for (uint32_t i = 0; i < f->insn_count; i++) {
        for (unsigned k = 0; k < f->insns[i].operand_count; k++)
            count_operand(d, &f->insns[i].operands[k]);
        if (f->insns[i].guarded && d->mentions[f->insns[i].guard] < UINT8_MAX)
            d->mentions[f->insns[i].guard]++;
    }
}

static void
count_edges(struct code_block *blocks, const uint32_t *order, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        struct code_block *b = &blocks[order[i]];

        b->position = i;
        for (uint32_t k = 0; k < b->successor_count; k++)
            blocks[b->successors[k]].predecessors++;
    }
}

static void
decode_function(struct decoder *d)
{
    const struct ptx_func *f = d->func;
    uint32_t count = 0, order_count = 0, *order;
    struct code_block *blocks;

    d->vector_of = malloc((f->reg_count + 1) * sizeof *d->vector_of);
    d->same_as = malloc((f->reg_count + 1) * sizeof *d->same_as);
    d->starts = malloc((f->insn_count + 1) * sizeof *d->starts);
    d->mentions = calloc(f->reg_count + 1, 1);
    if (d->vector_of == NULL || d->same_as == NULL || d->starts == NULL ||
        d->mentions == NULL || place_frame_vars(d) != 0)
        goto out;
    memset(d->vector_of, 0xff, (f->reg_count + 1) * sizeof *d->vector_of);
    memset(d->same_as, 0xff, (f->reg_count + 1) * sizeof *d->same_as);
    memset(d->starts, 0xff, (f->insn_count + 1) * sizeof *d->starts);
    d->carry = UINT32_MAX;
    count_reads(d);
    blocks = find_blocks(d, &count);
    order = blocks != NULL ? block_order(d, blocks, count, &order_count) : NULL;
    if (order == NULL)
        goto out;
    find_aliases(d, blocks, count);
    if (d->no_memory || vector_reuse_begin(d, blocks, count) != 0)
        goto out;
    count_edges(blocks, order, order_count);
    for (uint32_t i = 0; i < order_count; i++) {
        decode_block(d, &blocks[order[i]],
                     i + 1 < order_count ? &blocks[order[i + 1]] : NULL);
        critical_leave(d, blocks, &blocks[order[i]]);
    }
    open_run(d);
    d->current = NULL;
    emit(d, op_ret); /* where labels at the end lead */
    critical_close(d);
    if (!d->no_memory)
        finish(d);
out:
    if (d->program->insns == NULL)
        d->no_memory = true;
    free(d->vector_of);
    free(d->same_as);
    free(d->lives);
    free(d->mentions);
    free(d->starts);
    free(d->read);
    free(d->fixups);
    free(d->insns);
    free(d->origin);
    free(d->constants);
    free(d->specials);
    for (unsigned i = 0; i < 4; i++)
        free(d->constant_vectors[i].slot);
    free(d->special_vectors.slot);
    critical_free(d);
}

/* The program of a function in this kernel, which is decoded later if it is new. */
struct program *
program_for(struct decoder *d, const struct ptx_func *func)
{
    struct kernel *k = d->kernel;
    struct program *p;

    if (k->program_of == NULL)
        k->program_of =
            kernel_alloc(d, k->module->ptx->func_count * sizeof(struct program *));
    if (k->program_of == NULL)
        return NULL;
    p = k->program_of[func->index];
    if (p != NULL)
        return p;
    p = kernel_alloc(d, sizeof *p);
    if (p == NULL)
        return NULL;
    p->func = func;
    if (k->programs == NULL)
        k->programs = p;
    else
        k->last_program->next = p;
    k->last_program = p;
    return k->program_of[func->index] = p;
}

/* --- the kernel -------------------------------------------------------- */

int
kernel_decode(struct kernel *k, struct fault *f)
{
    struct decoder d = {.machine = k->module->machine, .kernel = k, .fault = f};
    bool no_memory = false;

    if (k->decoded)
        return 0;
    program_for(&d, k->func);
    shared_layout(&d);
    no_memory = d.no_memory;
    for (struct program *p = k->programs; p != NULL && !no_memory; p = p->next) {
        d = (struct decoder){.machine = k->module->machine,
                             .kernel = k,
                             .fault = f,
                             .program = p,
                             .func = p->func};
        decode_function(&d);
        no_memory = d.no_memory;
    }
    if (no_memory) {
        fault_text(f, FAULT_OUT_OF_MEMORY,
                   "the host has no memory to decode kernel %.120s", k->name);
        return -1;
    }
    kernel_order(k);
    k->decoded = true;
    return 0;
}
