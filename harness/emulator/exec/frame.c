/*
 * The frame of a call: its lane vectors, among them those of special registers, and the
 * local memory of the threads.
 */
#include "cluster.h"
#include "machine.h"
#include "ops/access.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_LOCAL_BYTES = 512 << 10 }; /* a thread, as on the hardware */

int
local_reserve(struct warp *w, uint64_t bytes)
{
    uint8_t *local;
    uint32_t size = w->local_bytes != 0 ? w->local_bytes : 64;

    if (bytes <= w->local_bytes)
        return 0;
    if (bytes > MAX_LOCAL_BYTES)
        return -1;
    while (size < bytes)
        size *= 2;
    local = realloc(w->local, (size_t)size * LANES);
    if (local == NULL)
        return -1;
    memset(local + (size_t)w->local_bytes * LANES, 0,
           (size_t)(size - w->local_bytes) * LANES);
    w->local = local;
    w->local_bytes = size;
    return 0;
}

void
local_clear(struct warp *w, uint32_t from, uint32_t bytes, uint32_t mask)
{
    if (bytes == 0)
        return;
    if (mask == FULL_MASK) {
        memset(local_at(w, 0, from), 0, (size_t)bytes * LANES);
        return;
    }
    for (uint32_t at = from; at < from + bytes; at += 16)
        for (uint32_t m = mask; m != 0; m &= m - 1)
            memset(local_at(w, (unsigned)__builtin_ctz(m), at), 0, 16);
}

/* The value of a register that all lanes share. */
static uint64_t
uniform_value(const struct warp *w, enum ptx_sreg r)
{
    const struct block *b = w->block;
    const struct launch *l = w->worker->run->launch;
    uint64_t v;

    if (cluster_register(w, r, &v))
        return v;
    switch (r) {
    case PTX_SREG_ntid_x:
    case PTX_SREG_ntid_y:
    case PTX_SREG_ntid_z:
        return l->block[r - PTX_SREG_ntid_x];
    case PTX_SREG_ctaid_x:
    case PTX_SREG_ctaid_y:
    case PTX_SREG_ctaid_z:
        return b->id[r - PTX_SREG_ctaid_x];
    case PTX_SREG_nctaid_x:
    case PTX_SREG_nctaid_y:
    case PTX_SREG_nctaid_z:
        return l->grid[r - PTX_SREG_nctaid_x];
    case PTX_SREG_warpid:
        return w->index;
    case PTX_SREG_nwarpid:
        return (uint64_t)w->worker->machine->device->warps_per_sm;
    case PTX_SREG_smid:
        return b->number % (uint64_t)w->worker->machine->device->sms;
    case PTX_SREG_nsmid:
        return (uint64_t)w->worker->machine->device->sms;
    case PTX_SREG_gridid:
        return w->worker->run->number;
    case PTX_SREG_dynamic_smem_size:
        return l->dynamic_shared;
    case PTX_SREG_aggr_smem_size: /* with the system's own part */
        return w->worker->run->shared_bytes + 1024;
    case PTX_SREG_total_smem_size:
        return w->worker->run->kernel->reserved_shared ? w->worker->run->reserved_offset
                                                       : w->worker->run->shared_bytes;
    case PTX_SREG_reserved_smem_begin:
    case PTX_SREG_reserved_smem_0:
        return w->worker->run->reserved_offset;
    case PTX_SREG_reserved_smem_1:
        return w->worker->run->reserved_offset + RESERVED_SHARED / 2;
    case PTX_SREG_reserved_smem_end:
        return w->worker->run->reserved_offset + RESERVED_SHARED;
    case PTX_SREG_reserved_smem_cap:
        return RESERVED_SHARED;
    case PTX_SREG_envreg1: /* cooperative groups look here for the barrier of the grid */
        return l->cooperative ? w->worker->machine->grid_workspace >> 32 : 0;
    case PTX_SREG_envreg2:
        return l->cooperative ? (uint32_t)w->worker->machine->grid_workspace : 0;
    default: /* other %envreg*: 0; the clocks are instructions of their own */
        return 0;
    }
}

/* A dimension of the thread's index in its block: x runs fastest (CUDA programming guide,
 * "Thread Hierarchy"). */
static void
thread_values(const struct warp *w, const struct access_ops *ops, unsigned dimension,
              uint32_t *v)
{
    const uint32_t *dim = w->worker->run->launch->block;
    uint32_t thread = w->index * LANES;
    uint32_t at[3] = {thread % dim[0], thread / dim[0] % dim[1],
                      thread / dim[0] / dim[1]};

    if (at[0] + LANES <= dim[0]) { /* the whole warp lies in one row: nearly always */
        if (dimension == 0)
            ops->count_vector(v, at[0]);
        else
            ops->fill_vector((uint8_t *)v, at[dimension], sizeof *v);
        return;
    }
    for (unsigned i = 0; i < LANES; i++) {
        v[i] = at[dimension];
        if (++at[0] == dim[0]) {
            at[0] = 0;
            if (++at[1] == dim[1]) {
                at[1] = 0;
                at[2]++;
            }
        }
    }
}

/* The lane masks (PTX ISA 10.14 to 10.18) of lane i. */
static uint32_t
lane_mask(enum ptx_sreg r, unsigned i)
{
    uint32_t eq = 1u << i, lt = eq - 1;

    switch (r) {
    case PTX_SREG_lanemask_eq:
        return eq;
    case PTX_SREG_lanemask_lt:
        return lt;
    case PTX_SREG_lanemask_le:
        return lt | eq;
    case PTX_SREG_lanemask_ge:
        return ~lt;
    default:
        return ~(lt | eq);
    }
}

/* Writes the values of a register that differ from lane to lane; false: r is another one.
 */
static bool
lane_values(const struct warp *w, const struct access_ops *ops, enum ptx_sreg r,
            uint32_t *v)
{
    switch (r) {
    case PTX_SREG_tid_x:
    case PTX_SREG_tid_y:
    case PTX_SREG_tid_z:
        thread_values(w, ops, (unsigned)(r - PTX_SREG_tid_x), v);
        return true;
    case PTX_SREG_laneid:
        ops->count_vector(v, 0);
        return true;
    case PTX_SREG_lanemask_eq:
    case PTX_SREG_lanemask_lt:
    case PTX_SREG_lanemask_le:
    case PTX_SREG_lanemask_ge:
    case PTX_SREG_lanemask_gt:
        for (unsigned i = 0; i < LANES; i++)
            v[i] = lane_mask(r, i);
        return true;
    default:
        return false;
    }
}

static void
fill_special(const struct warp *w, const struct access_ops *ops, const struct frame *f,
             const struct special *s)
{
    uint8_t *vector = f->regs + s->vector;
    uint32_t values[LANES];
    uint64_t v = 0;

    if (s->bytes == 4 && lane_values(w, ops, s->sreg, (uint32_t *)(void *)vector))
        return;
    if (s->bytes != 4 && lane_values(w, ops, s->sreg, values)) {
        for (unsigned i = 0; i < LANES; i++) {
            v = values[i];
            memcpy(vector + i * s->bytes, &v, s->bytes);
        }
        return;
    }
    if (s->parameter)
        memcpy(&v, (const uint8_t *)w->worker->run->launch->params + s->local_offset,
               s->bytes);
    else if (s->sreg == PTX_SREG_NONE)
        v = (uint64_t)f->local_base + s->local_offset;
    else if (s->sreg == PTX_SREG_COUNT)
        v = (uint64_t)w->worker->run->dynamic_offset + s->local_offset;
    else
        v = uniform_value(w, s->sreg);
    ops->fill_vector(vector, v, s->bytes);
}

void
frame_fill(struct warp *w, struct frame *f, unsigned changes)
{
    const struct access_ops *ops = access_ops(w->worker->machine);
    const struct program *p = f->program;

    for (uint32_t i = 0; i < p->special_count; i++)
        if (p->specials[i].changes >= changes)
            fill_special(w, ops, f, &p->specials[i]);
}

struct frame *
frame_new(const struct program *p)
{
    struct frame *f = calloc(1, sizeof *f);
    void *regs = NULL;

    if (f == NULL ||
        posix_memalign(&regs, 64, p->frame_bytes != 0 ? p->frame_bytes : 64)) {
        free(f);
        return NULL;
    }
    memset(regs, 0, p->frame_bytes);
    f->program = p;
    f->regs = regs;
    for (uint32_t i = 0; i < p->constant_count; i++) {
        const struct constant *c = &p->constants[i];

        if (c->bytes == 0)
            memcpy(f->regs + c->vector, &c->bits, sizeof(uint32_t));
        for (unsigned lane = 0; lane < LANES; lane++)
            memcpy(f->regs + c->vector + lane * c->bytes, &c->bits, c->bytes);
    }
    return f;
}

void
frame_free(struct frame *f)
{
    if (f->link != NULL) {
        *f->link = f->next;
        if (f->next != NULL)
            f->next->link = f->link;
    }
    free(f->regs);
    free(f);
}
