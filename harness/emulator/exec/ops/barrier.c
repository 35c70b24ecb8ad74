/* The barriers of a block: bar and barrier (PTX ISA 9.7.13.1). */
#include "../cost/count.h"
#include "../decode/emit.h"
#include "../decode/families.h"
#include "../race/race.h"
#include "../source.h"
#include "../warp_fault.h"

#include <stdio.h>
#include <string.h>

enum barrier_kind { BARRIER_SYNC, BARRIER_ARRIVE, BARRIER_AND, BARRIER_OR, BARRIER_POPC };

/* Lane vectors d, id, threads (UINT32_MAX: all), predicate; x = kind, y = negated. */
static const struct insn *op_barrier(struct warp *w, const struct insn *in);

/* Writes the result of bar.red for a path that goes on. */
void
barrier_result(const struct path *s, const struct barrier *bar)
{
    const struct insn *in = s->pc - 1;
    const struct extra *e = in->extra;
    uint32_t *d;

    if (in->fn != op_barrier || in->x < BARRIER_AND)
        return;
    d = (uint32_t *)(void *)(s->frame->regs + e->vectors[0]);
    if (in->x == BARRIER_POPC) {
        for (uint32_t m = s->mask; m != 0; m &= m - 1)
            d[__builtin_ctz(m)] = bar->reduce_count;
        return;
    }
    *d = (*d & ~s->mask) |
         ((in->x == BARRIER_AND ? bar->reduce_and : bar->reduce_or) ? s->mask : 0);
}

static void
barrier_reduce(struct warp *w, const struct insn *in, struct barrier *bar)
{
    uint32_t p = *(const uint32_t *)(const void *)(w->regs + in->extra->vectors[3]);
    uint32_t yes = (in->y ? ~p : p) & w->mask;

    if (bar->arrived == 0) {
        bar->reduce_and = true;
        bar->reduce_or = false;
        bar->reduce_count = 0;
    }
    bar->reduce_and = bar->reduce_and && yes == w->mask;
    bar->reduce_or = bar->reduce_or || yes != 0;
    bar->reduce_count += (uint32_t)__builtin_popcount(yes);
}

/* Lanes of one warp at one barrier but at different places of the code. Since sm_70 a
 * barrier counts threads (CUDA programming guide, "Independent Thread Scheduling"), so
 * they meet there; but .aligned says that all threads of a warp execute the same one. */
static void
notice_diverged(struct warp *w, const struct insn *in, uint32_t id)
{
    const struct module *mod = w->worker->run->kernel->module;
    const struct path *other = NULL;
    struct fault f = {.kind = FAULT_DIVERGENT_BARRIER};
    int line;

    for (uint32_t i = 0; i < w->path_count && other == NULL; i++) {
        const struct path *s = &w->paths[i];

        if (s->state == PATH_AT_BARRIER && s->barrier == id && s->pc != in + 1)
            other = s;
    }
    if (other == NULL)
        return;
    source_of(mod, origin_in(other->frame->program, other->pc - 1), f.other_file,
              sizeof f.other_file, &f.other_line);
    source_of(mod, origin_of(w, in), f.file, sizeof f.file, &line);
    snprintf(f.text, sizeof f.text,
             "divergent barrier: threads of one warp wait at different barriers, %u of "
             "them at line %d, %u at line %d; a GPU lets them meet there, but %s",
             (unsigned)__builtin_popcount(w->mask), line,
             (unsigned)__builtin_popcount(other->mask), f.other_line,
             barrier_rule(mod, source_is_grid_sync(mod, origin_of(w, in))
                                   ? origin_of(w, in)
                                   : origin_in(other->frame->program, other->pc - 1)));
    notice_add(w, in, (unsigned)__builtin_ctz(w->mask), &f);
}

/* Paths that have come to the barrier before anybody named a count arrive for the race
 * detector only now. Since then they have done nothing. */
static void
race_earlier_arrivals(struct block *b, uint32_t id)
{
    for (uint32_t i = 0; i < b->warp_count; i++) {
        struct warp *w = b->warps[i];

        for (uint32_t k = 0; w != NULL && k < w->path_count; k++)
            if (w->paths[k].state == PATH_AT_BARRIER && w->paths[k].barrier == id)
                race_barrier_arrive(w, id, w->paths[k].mask);
    }
}

static const struct insn *
op_barrier(struct warp *w, const struct insn *in)
{
    const struct extra *e = in->extra;
    const uint32_t *ids = (const uint32_t *)(const void *)(w->regs + e->vectors[1]);
    unsigned first = (unsigned)__builtin_ctz(w->mask);
    uint32_t id = ids[first];
    struct barrier *bar;
    struct block *b = w->block;

    if (id >= BARRIERS)
        return fault_at(w, in, first, FAULT_BARRIER, "uses barrier %u; there are 16", id);
    bar = &b->barriers[id];
    b->has_barriers = true;
    if (in->x >= BARRIER_AND)
        barrier_reduce(w, in, bar);
    if (e->vectors[2] != UINT32_MAX && bar->expected == 0 && b->race != NULL)
        race_earlier_arrivals(b, id);
    if (e->vectors[2] != UINT32_MAX)
        bar->expected =
            ((const uint32_t *)(const void *)(w->regs + e->vectors[2]))[first];
    site_counts(w, e->slot)->barriers += in->x != BARRIER_ARRIVE;
    bar->arrived += (uint32_t)__builtin_popcount(w->mask);
    clock_settle(w);
    clock_await(&bar->latest, &w->path_clock);
    b->awaiting |= 1u << id;
    w->acted |= w->mask;
    if (b->race != NULL && bar->expected != 0)
        race_barrier_arrive(w, id, w->mask);
    if (in->x == BARRIER_ARRIVE) {
        barrier_check(b, id);
        return in + 1;
    }
    if (w->worker->run->checks && e->imm != 0)
        notice_diverged(w, in, id);
    warp_park(w, in + 1, PATH_AT_BARRIER)->barrier = id;
    barrier_check(b, id);
    return NULL;
}

/* --- decoding ------------------------------------------------------------ */

/* bar{.cta}.sync a[, b]; .arrive a, b; .red.popc.u32 d, a[, b], p; .red.and.pred p, ...
 */
static int
decode_block_barrier(struct decoder *d, const struct ptx_insn *in)
{
    const struct ptx_operand *o = in->operands;
    enum ptx_mod does = MOD_READ_ANY(d, in, PTX_MOD_sync, PTX_MOD_arrive, PTX_MOD_red);
    bool reduces = does == PTX_MOD_red, negated = false;
    enum ptx_mod op = reduces
                          ? MOD_READ_ANY(d, in, PTX_MOD_and_, PTX_MOD_or_, PTX_MOD_popc)
                          : PTX_MOD_popc;
    uint32_t kind = does == PTX_MOD_arrive ? BARRIER_ARRIVE
                    : !reduces             ? BARRIER_SYNC
                    : op == PTX_MOD_and_   ? BARRIER_AND
                    : op == PTX_MOD_or_    ? BARRIER_OR
                                           : BARRIER_POPC;
    unsigned n = in->operand_count, at = reduces ? 1 : 0, last = reduces ? n - 1 : n;
    struct extra *e = kernel_alloc(d, sizeof *e);
    struct insn *out;

    if (e == NULL || does == PTX_MOD_UNKNOWN || op == PTX_MOD_UNKNOWN ||
        (reduces && type_read(d, in, 0) != (kind == BARRIER_POPC ? PTX_u32 : PTX_pred)) ||
        n < at + 1 || last < at + 1 || last > at + 2)
        return -1;
    e->vectors[0] = reduces ? destination(d, &o[0], kind == BARRIER_POPC ? 4 : 0) : 0;
    e->vectors[1] = source(d, &o[at], PTX_u32);
    e->vectors[3] = reduces ? predicate(d, &o[n - 1], &negated) : 0;
    if (e->vectors[0] == UINT32_MAX || e->vectors[1] == UINT32_MAX ||
        e->vectors[3] == UINT32_MAX)
        return -1;
    e->vectors[2] = last == at + 2 ? source(d, &o[at + 1], PTX_u32) : UINT32_MAX;
    if (last == at + 2 && e->vectors[2] == UINT32_MAX)
        return -1;
    kernel_of(d)->meets_in_part |= last == at + 2;
    e->slot = site_new(d);
    e->imm = in->op == PTX_OP_bar || ptx_has_mod(in, PTX_MOD_aligned);
    kernel_of(d)->has_barrier = true;
    out = emit(d, op_barrier);
    out->extra = e;
    out->x = kind;
    out->y = negated;
    return 0;
}

int
decode_barrier(struct decoder *d, const struct ptx_insn *in)
{
    if (ptx_has_mod(in, PTX_MOD_cluster))
        return decode_cluster_barrier(d, in);
    if (ptx_has_mod(in, PTX_MOD_warp))
        return decode_warp_barrier(d, in);
    return decode_block_barrier(d, in);
}
