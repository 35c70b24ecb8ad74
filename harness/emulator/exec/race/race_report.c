/* The text of a race. It names both sides, each with its thread, what it does and its
 * line. */
#include "../source.h"
#include "../warp_fault.h"
#include "race.h"

#include <stdio.h>
#include <string.h>

/* The other side, as the text names it. */
struct other {
    uint64_t block;
    uint32_t warp, slot;
    unsigned lane;
};

/* A thread of the record that is not the accessing lane itself. */
static struct other
other_of(const struct warp *w, const struct race_event *e, unsigned lane)
{
    const struct race_record *r = e->other;
    uint32_t lanes = r->lanes;

    if (!e->is_copying && r->block == (uint32_t)w->block->number && r->warp == w->index) {
        lanes &= ~(1u << lane);
        if (lanes == 0 || r->scope != RACE_WARP)
            return (struct other){r->other_block, r->other_warp, r->other_slot,
                                  r->other_lane};
    }
    return (struct other){r->block, r->warp, r->slot,
                          (unsigned)__builtin_ctz(lanes != 0 ? lanes : 1)};
}

/* The accessing lane that the text names: if possible one that is not the other side. */
static unsigned
own_lane(const struct warp *w, const struct race_event *e)
{
    const struct race_record *r = e->other;
    uint32_t lanes = e->lanes;

    if (r->scope == RACE_WARP && r->block == (uint32_t)w->block->number &&
        r->warp == w->index && (lanes & ~r->lanes) != 0)
        lanes &= ~r->lanes;
    return (unsigned)__builtin_ctz(lanes);
}

static bool
was_told(struct race *r, uint16_t a, uint16_t b)
{
    for (uint32_t i = 0; i < r->told_count; i++)
        if (r->told[i].a == a && r->told[i].b == b)
            return true;
    if (r->told_count == RACE_TOLD_MAX)
        return true;
    r->told[r->told_count].a = a;
    r->told[r->told_count].b = b;
    r->told_count++;
    return false;
}

static void
describe_place(const struct warp *w, const struct race_request *q, uint64_t address,
               char *out, size_t size)
{
    struct allocation *a;
    char name[64];

    if (q->space == PTX_SPACE_SHARED) {
        if (shared_name(w->worker->run->kernel, address, name, sizeof name))
            snprintf(out, size, "shared memory (%s)", name);
        else
            snprintf(out, size, "shared memory (byte %llu)", (unsigned long long)address);
        return;
    }
    a = memory_lookup(w->worker->machine, address);
    if (a != NULL && variable_name(w->worker->machine, a, name, sizeof name))
        snprintf(out, size, "global memory at %#llx (%s, byte %llu)",
                 (unsigned long long)address, name,
                 (unsigned long long)(address - a->start));
    else if (a != NULL && memory_elements(a, address, 1, name, sizeof name))
        snprintf(out, size,
                 "%s in global memory at %#llx (byte %llu of a buffer of %llu)", name,
                 (unsigned long long)address, (unsigned long long)(address - a->start),
                 (unsigned long long)a->bytes);
    else if (a != NULL)
        snprintf(out, size, "global memory at %#llx (byte %llu of a buffer of %llu)",
                 (unsigned long long)address, (unsigned long long)(address - a->start),
                 (unsigned long long)a->bytes);
    else
        snprintf(out, size, "global memory at %#llx", (unsigned long long)address);
}

/* Writes "thread (1,0,0)", with its block where that is another. */
static void
describe_other(const struct warp *w, const struct other *o, struct fault *f, char *out,
               size_t size)
{
    const struct launch *l = w->worker->run->launch;
    uint32_t thread = o->warp * LANES + o->lane;
    uint64_t n = o->block;

    f->other_thread[0] = thread % l->block[0];
    f->other_thread[1] = thread / l->block[0] % l->block[1];
    f->other_thread[2] = thread / l->block[0] / l->block[1];
    f->other_block[0] = (uint32_t)(n % l->grid[0]);
    f->other_block[1] = (uint32_t)(n / l->grid[0] % l->grid[1]);
    f->other_block[2] = (uint32_t)(n / l->grid[0] / l->grid[1]);
    if (n == (uint32_t)w->block->number)
        snprintf(out, size, "thread (%u,%u,%u)", f->other_thread[0], f->other_thread[1],
                 f->other_thread[2]);
    else
        snprintf(out, size, "thread (%u,%u,%u) of block (%u,%u,%u)", f->other_thread[0],
                 f->other_thread[1], f->other_thread[2], f->other_block[0],
                 f->other_block[1], f->other_block[2]);
}

static const char *
verb(enum race_kind kind)
{
    return kind == RACE_READ     ? "reads"
           : kind == RACE_ATOMIC ? "atomically updates"
                                 : "writes";
}

/* What would order the two, for a learner. */
static const char *
race_advice(const struct warp *w, const struct other *o, const struct fault *f,
            const struct insn *in, bool is_copying)
{
    char file[sizeof f->file];
    int line;

    if (is_copying)
        return " by an asynchronous copy that it has not waited for: "
               "__pipeline_wait_prior() or cp.async.wait_group must stand before the "
               "barrier, or before its own access";

    source_of(w->worker->run->kernel->module, origin_of(w, in), file, sizeof file, &line);
    if (o->block != (uint32_t)w->block->number)
        return "; nothing orders the two: blocks run in any order, so both need an "
               "atomic "
               "operation, or a second kernel";
    if (line == f->other_line && strcmp(file, f->other_file) == 0)
        return "; nothing orders the two: if both update one element, use an atomic "
               "operation, else a barrier must stand between them";
    return o->warp == w->index
               ? "; nothing orders the two: a barrier must stand between them, "
                 "__syncwarp() or, "
                 "where all threads come, __syncthreads()"
               : "; nothing orders the two: __syncthreads() must stand between them";
}

void
race_note_read(const struct warp *w, bool global, uint32_t block, uint32_t warp)
{
    struct kernel *k = w->worker->run->kernel;

    if (block == (uint32_t)w->block->number && warp == w->index)
        return;
    if (global)
        k->races_global = true;
    else
        k->races_shared = true;
}

void
race_report(struct warp *w, const struct insn *in, const struct race_request *q,
            const struct race_event *e)
{
    struct race *r = w->block->race->race;
    unsigned lane = own_lane(w, e);
    struct other other = other_of(w, e, lane);
    const struct race_site *site = &r->sites[other.slot % RACE_SITES];
    struct fault f = {.kind = FAULT_RACE};
    char place[120], who[100], where[80] = "";

    if (q->kind == RACE_READ && e->other_writes)
        race_note_read(w, q->space != PTX_SPACE_SHARED, (uint32_t)other.block,
                       other.warp);
    if (was_told(r, (uint16_t)q->slot, (uint16_t)other.slot))
        return;
    describe_place(w, q, e->address, place, sizeof place);
    describe_other(w, &other, &f, who, sizeof who);
    if (site->in != NULL)
        source_of(r->run->kernel->module, origin_in(site->program, site->in),
                  f.other_file, sizeof f.other_file, &f.other_line);
    if (f.other_line > 0)
        snprintf(where, sizeof where, " (%.60s:%d)", f.other_file, f.other_line);
    f.other_is_write = e->other_writes;
    snprintf(f.text, sizeof f.text, "data race: %s %u bytes of %s, which %s %s%s%s",
             verb(q->kind), q->bytes, place, who,
             verb(e->other->atomic  ? RACE_ATOMIC
                  : e->other_writes ? RACE_WRITE
                                    : RACE_READ),
             where,
             e->same_instant ? " in the same instruction, with another value"
                             : race_advice(w, &other, &f, in, e->is_copying));
    fault_fill_access(&f, q->space, e->address, q->bytes, q->kind != RACE_READ);
    notice_add(w, in, lane, &f);
}
