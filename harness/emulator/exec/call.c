/* Calls, returns and exits of a warp's lanes, with their frames (PTX ISA 9.7.12.5 to .7).
 */
#include "cluster.h"
#include "ops/sync.h"
#include "warp_fault.h"

enum { MAX_CALL_DEPTH = 2000 };

/* Takes lanes that have left out of a frame, and out of callers that only they kept. */
static void
frame_leave(struct frame *f, uint32_t mask, bool exited)
{
    while (f->parent != NULL) {
        struct frame *parent = f->parent;

        f->mask &= ~mask;
        if (f->mask == 0)
            frame_free(f);
        if (!exited)
            break;
        f = parent;
    }
}

/* Copies bytes between two places of the lanes' local memory. */
static void
local_copy(struct warp *w, uint32_t to, uint32_t from, uint32_t bytes, uint32_t mask)
{
    for (uint32_t m = mask; m != 0; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctz(m);

        for (uint32_t i = 0; i < bytes; i++)
            *local_at(w, lane, to + i) = *local_at(w, lane, from + i);
    }
}

/* call (PTX ISA 9.7.12.5). Here extra->vectors are offsets in local memory, first of the
 * caller's argument variables, then of its result variables. extra->count is the number
 * of arguments. */
static const struct insn *
enter(struct warp *w, const struct insn *in, const struct extra *e,
      const struct program *p)
{
    struct frame *f;
    uint32_t base = w->frame->local_base + ((w->frame->program->local_bytes + 15) & ~15u);

    if (w->frame->depth + 1 > MAX_CALL_DEPTH ||
        local_reserve(w, (uint64_t)base + p->local_bytes + 16) != 0)
        return fault_at(
            w, in, (unsigned)__builtin_ctz(w->mask), FAULT_ILLEGAL_ADDRESS,
            "calls too deeply: the stack is used up (recursion without an end?)");
    if (--w->branch_budget <= 0) {
        w->branch_budget = BRANCH_BUDGET;
        if (budget_check(w, in) != 0)
            return NULL;
    }
    f = frame_new(p);
    if (f == NULL)
        return fault_at(w, in, 0, FAULT_OUT_OF_MEMORY, "no memory for a call");
    f->parent = w->frame;
    f->depth = w->frame->depth + 1;
    f->call_site = in;
    f->return_to = in + 1;
    f->call = e;
    f->mask = w->mask;
    f->local_base = base;
    f->next = w->frames;
    f->link = &w->frames;
    if (f->next != NULL)
        f->next->link = &f->next;
    w->frames = f;
    local_clear(w, base, p->local_bytes, w->mask);
    for (uint32_t i = 0; i < e->count && i < p->param_count; i++)
        local_copy(w, base + p->params[i].offset, w->frame->local_base + e->vectors[i],
                   p->params[i].bytes, w->mask);
    frame_fill(w, f, PER_LAUNCH);
    w->frame = f;
    w->regs = f->regs;
    warp_set_next_stop(w, p->insns - 1);
    return p->insns;
}

/* call: x = 1: it is indirect, and a = lane vector of the functions' addresses. */
const struct insn *
op_call(struct warp *w, const struct insn *in)
{
    const struct extra *e = in->extra;
    const uint64_t *address = (const uint64_t *)(const void *)(w->regs + in->a);
    unsigned first = (unsigned)__builtin_ctz(w->mask);
    uint32_t same = 0;

    if (in->x == 0)
        return enter(w, in, e, e->callee);
    for (uint32_t m = w->mask; m != 0; m &= m - 1)
        if (address[__builtin_ctz(m)] == address[first])
            same |= 1u << __builtin_ctz(m);
    for (const struct program *p = w->worker->run->kernel->programs; p != NULL;
         p = p->next) {
        if (address[first] != FUNC_ADDRESS_BASE + 16 * (uint64_t)p->func->index)
            continue;
        if (same != w->mask) { /* the others call when it is their turn */
            w->mask &= ~same;
            warp_park(w, in, PATH_READY);
            w->stop = STOP_NONE;
            w->mask = same;
        }
        return enter(w, in, e, p);
    }
    return fault_at(w, in, first, FAULT_ILLEGAL_ADDRESS,
                    "calls a function at %#llx, where there is none",
                    (unsigned long long)address[first]);
}

const struct insn *
op_exit(struct warp *w, const struct insn *in)
{
    uint32_t mask = w->mask;
    struct block *b = w->block;

    if (w->worker->run->checks)
        barrier_note_exit(w, in);
    w->live &= ~mask;
    b->live_threads -= (uint32_t)__builtin_popcount(mask);
    cluster_exit(w, mask);
    frame_leave(w->frame, mask, true);
    w->mask = 0;
    w->stop = STOP_RESCHEDULE;
    sync_recheck(w);
    barriers_recheck(b);
    return NULL;
}

const struct insn *
op_ret(struct warp *w, const struct insn *in)
{
    struct frame *f = w->frame;
    const struct program *p = f->program;
    const struct insn *to = f->return_to;

    if (f->parent == NULL)
        return op_exit(w, in);
    for (uint32_t i = 0; i < p->return_count; i++)
        if (f->call->count + i < 40 && f->call->vectors[f->call->count + i] != UINT32_MAX)
            local_copy(w, f->parent->local_base + f->call->vectors[f->call->count + i],
                       f->local_base + p->returns[i].offset, p->returns[i].bytes,
                       w->mask);
    w->frame = f->parent;
    frame_leave(f, w->mask, false);
    warp_park(w, to, PATH_READY);
    return NULL;
}
