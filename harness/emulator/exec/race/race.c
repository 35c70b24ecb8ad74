/*
 * Data races by happens-before, after FastTrack (Flanagan and Freund, PLDI 2009) as far
 * as it fits a GPU.
 *
 * A race: two threads access the same byte, at least one writes, not both accesses are
 * atomic, and nothing orders the two. Which of them the emulator happened to execute
 * first plays no part. What orders accesses:
 *
 *   program order; barriers of the block, for those who take part; *.sync operations, for
 *   their lanes; a fence followed by an atomic or volatile store, with the atomic or
 *   volatile load that follows on the same location; mbarrier arrivals and waits; the
 *   beginning and the end of a launch.
 *
 * What is not reported, because programs rely on it that a GPU executes as their authors
 * mean:
 *
 *   - volatile accesses count as atomic (the memory model's "strong" ones), as do all
 *     operations of atom and red, whatever their scope;
 *   - writes of the value that is already there (`changed = true` by many threads), and
 *     reads beside them (row k of Floyd and Warshall's d = min(d, d_ik + d_kj));
 *   - in global memory, a plain read of what others change by compare-and-swap, exchange,
 *     minimum, maximum, and, or: aligned words don't tear, and searches and relaxations
 *     look at them so (a counter that others add to is told);
 *   - in global memory, a read of what others set to a value that is the same for all
 *     threads of the launch (`visited[v] = 1`, `level[v] = depth + 1`): ACCESS_QUIET
 *     stores, found when a kernel is decoded (decode/quiet.c);
 *   - a read before an atomic of the same thread on the same location (the first read of
 *     a compare-and-swap loop, `if (d < best) atomicMin(&best, d)`): ACCESS_QUIET loads;
 *   - that a fence is in the block's code at all is enough for an atomic to publish what
 *     its thread knows, wherever the fence stands, and a reader needs none;
 *   - a write after reads whose thread has then stored something volatile or relaxed that
 *     the writer saw, fence or no fence.
 *
 * Time: one counter, race.now, runs through a launch, and every synchronisation advances
 * it. The stamp of an access is the counter at its thread's last synchronisation. A floor
 * says that all accesses with smaller stamps are known. The launch has one, each block
 * has one (its last barrier), and each warp has one (its last *.sync of all lanes). So
 * nearly every question is one comparison, and a barrier costs an addition. race_clock.c
 * has what whole barriers do not tell, race_party.c the records of several warps that
 * meet in part, and race_copy.c asynchronous copies.
 *
 * Memory: for each byte the last write and the last reads are remembered (race_record).
 * Reads without an order between them are merged: of lanes of one warp, of warps of one
 * block, of blocks of the grid. Where a whole warp accesses 128 aligned bytes, lane by
 * lane, one record stands for all (race_line, COMPACT). Where that is not enough, a line
 * gets a cell for each word, or for each byte if smaller elements are accessed.
 *
 * With checks on, one worker runs all blocks in order. So a kernel with a race computes
 * the same every time, and the same races are reported.
 */
#ifndef __clang__
/* gcc's analyzer does not know that what mmap gives (race_shadow.c) is zeros. */
#pragma GCC diagnostic ignored "-Wanalyzer-use-of-uninitialized-value"
#endif

#include "../machine.h"
#include "race_order.h"

#include <string.h>

#pragma GCC optimize("O3")

/* --- one cell ---------------------------------------------------------------------- */

void
race_tell(const struct racer *a, const struct race_record *r, bool other_writes,
          uint64_t offset, uint32_t lanes, bool same_instant)
{
    const struct race_event e = {.other = r,
                                 .other_writes = other_writes,
                                 .lanes = lanes,
                                 .address = a->base + offset,
                                 .same_instant = same_instant};

    race_report(a->w, a->in, a->q, &e);
}

/* Is a read of what somebody wrote, with nothing that orders the two, no race? It may
 * still be a link of a chain. */
static bool
is_harmless_read(const struct racer *a, const struct race_record *r)
{
    if (!harmless(a, r, true))
        return false;
    if (!r->silent && !(a->strong && r->strong))
        race_note_read(a->w, a->global, r->block,
                       r->scope == RACE_WARP ? r->warp : UINT32_MAX);
    return true;
}

static void
read_cell(const struct racer *a, struct race_cell *c, uint64_t offset, uint32_t lanes)
{
    const struct race_record *r = &c->r;
    bool exact = a->race->exact && !a->global;
    struct race_record other;

    if (!race_party_ordered(a, c, &c->w, lanes, false, &other) &&
        !is_harmless_read(a, &other))
        race_tell(a, &other, true, offset, lanes, false);
    if (!a->strong && !race_party_ordered(a, c, &c->s, lanes, false, &other) &&
        !is_harmless_read(a, &other))
        race_tell(a, &other, true, offset, lanes, false);
    /* The access is noted already. */
    if (r->stamp == a->stamp && r->block == a->block && r->strong == a->strong &&
        r->quiet <= a->q->quiet &&
        (r->scope == RACE_WARP ? r->warp == a->warp && (lanes & ~r->lanes) == 0
                               : !exact || race_party_has(a, c, r, lanes)))
        return;
    /* Of plain and strong reads the plain ones are kept, because they race with more. */
    if (a->strong && !r->strong && !is_old(a, r))
        return;
    race_party_note(a, c, &c->r, lanes,
                    race_party_ordered(a, c, r, lanes, true, &other) ||
                        (r->strong && !a->strong));
}

static void
write_cell(const struct racer *a, struct race_cell *c, uint64_t offset, uint32_t n,
           uint32_t lanes)
{
    struct race_record w, r, s;
    bool after_writes = race_party_ordered(a, c, &c->w, lanes, false, &w);
    bool after_reads = race_party_ordered(a, c, &c->r, lanes, true, &r);
    bool after_strong = race_party_ordered(a, c, &c->s, lanes, false, &s);
    bool same_instant = false;
    bool silent = race_leaves_value(a, offset, n, lanes);
    uint32_t before = c->w.stamp;

    if (!after_writes && !race_same_value(a, &w, offset, n, lanes, &same_instant)) {
        race_tell(a, &w, true, offset, lanes, same_instant);
        after_writes = true; /* reported: what follows is about the new write */
    }
    if (!after_strong && !a->strong &&
        !race_same_value(a, &s, offset, n, lanes, &same_instant))
        race_tell(a, &s, true, offset, lanes, false);
    if (!after_reads && !silent && !harmless(a, &r, false))
        race_tell(a, &r, false, offset, lanes, false);
    if (a->strong) {
        /* In global memory the thread of an atomic knows the earlier atomics on the
         * location, which precede it in causality order (PTX ISA 8.9.5). That holds for
         * other blocks, too, so the last thread that counts may clear the counter. */
        bool counts = a->global && a->q->kind == RACE_ATOMIC && c->s.atomic;

        race_party_note(a, c, &c->s, lanes, after_strong || counts);
        return;
    }
    /* A loop that stores the same value again makes the races of its first store. */
    silent = silent && (before != a->stamp || c->w.silent);
    race_party_note(a, c, &c->w, lanes, after_writes);
    c->w.silent = silent && (after_writes || c->w.silent);
    if (after_reads)
        c->r.stamp = 0;
    if (after_strong)
        c->s.stamp = 0;
}

/* --- lines ------------------------------------------------------------------------- */

static bool
by_line_ordered(const struct racer *a, const struct race_record *r, int lane0,
                unsigned log, int line_lane0, unsigned line_log)
{
    if (r->stamp < a->old || (same_block(a, r) && r->stamp < a->block_floor))
        return true;
    return same_warp(a, r) &&
           (r->stamp < a->warp_floor || (lane0 == line_lane0 && log == line_log));
}

/* Notes the access as one record for the whole line; false: the line needs cells. */
static bool
line_access(const struct racer *a, struct race_line *l, uint64_t offset, int lane0,
            unsigned log)
{
    struct race_record *w = &l->w, *r = &l->r;
    bool after_writes, after_reads;

    if (l->fresh) {
        w->stamp = r->stamp = 0;
        l->fresh = false;
    }
    after_writes = by_line_ordered(a, w, lane0, log, l->lane0_w, l->log_w);
    after_reads = by_line_ordered(a, r, lane0, log, l->lane0_r, l->log_r);
    if (a->writes) {
        uint32_t loud = w->stamp == a->stamp ? ~l->silent : 0;

        if (!after_writes || !after_reads)
            return false;
        set_record(a, w, FULL_MASK);
        l->silent = race_silent_words(a, offset) & ~loud;
        l->lane0_w = (int16_t)lane0;
        l->log_w = (uint8_t)log;
        r->stamp = 0;
        return true;
    }
    if (!after_writes && !is_harmless_read(a, w))
        return false;
    if (after_reads) {
        set_record(a, r, FULL_MASK);
        l->lane0_r = (int16_t)lane0;
        l->log_r = (uint8_t)log;
        return true;
    }
    if (same_warp(a, r) || r->strong != a->strong || lane0 != l->lane0_r ||
        log != l->log_r || (a->race->exact && !a->global))
        return false;
    merge(a, r, FULL_MASK);
    return true;
}

/* --- cells of a line --------------------------------------------------------------- */

/* These lanes all access [offset, offset + bytes). */
static void
cells_access(const struct racer *a, uint64_t offset, uint32_t bytes, uint32_t lanes)
{
    while (bytes > 0) {
        struct race_line *l = line_at(a, offset);
        uint32_t at = offset % RACE_LINE, step;
        bool by_byte = bytes < 4 || (offset & 3) != 0;

        if (l == NULL || !race_expand(a->race, a->shadow, l, by_byte))
            return;
        if (a->writes && l->quick.any != 0)
            race_check_quick(a, l, offset, bytes, lanes);
        step = l->state == RACE_BY_BYTE ? 1 : 4;
        for (; bytes > 0 && at < RACE_LINE; at += step, offset += step, bytes -= step) {
            struct race_cell *c = &l->cells[at / step];

            if ((l->made >> (at / 4) & 1) == 0)
                race_make_cells(l, at / 4);
            if (a->writes)
                write_cell(a, c, offset, step, lanes);
            else
                read_cell(a, c, offset, lanes);
        }
    }
}

/* --- one instruction --------------------------------------------------------------- */

/* Looks line by line at a whole warp's consecutive accesses from the start of a line on.
 */
static bool
lines_access(const struct racer *a)
{
    const uint64_t *ea = a->q->ea;
    uint32_t bytes = a->q->bytes;
    uint64_t wrong = 0;

    if (a->w->mask != FULL_MASK || bytes < 4 || bytes > 16 || ea[0] % RACE_LINE != 0 ||
        (a->strong && a->writes))
        return false;
    for (unsigned i = 0; i < LANES; i++)
        wrong |= ea[i] ^ (ea[0] + i * (uint64_t)bytes);
    if (wrong != 0 || a->bytes < bytes * LANES ||
        ea[0] - a->base > a->bytes - bytes * LANES)
        return false;
    for (uint32_t at = 0; at < bytes * LANES; at += RACE_LINE) {
        uint64_t offset = ea[0] - a->base + at;
        struct race_line *l = line_at(a, offset);

        if (l == NULL)
            return true;
        if (l->state == RACE_COMPACT && (!a->writes || race_quick_passes(a, l)) &&
            line_access(a, l, offset, -(int)at, (unsigned)__builtin_ctz(bytes)))
            continue;
        for (unsigned i = at / bytes; i < (at + RACE_LINE) / bytes; i++)
            cells_access(a, ea[i] - a->base, bytes, 1u << i);
    }
    return true;
}

/* Consecutive lanes with one address go together. Lanes outside of the memory are left
 * out, because their access faults. */
static void
lanes_access(struct racer *a, uint32_t mask)
{
    const uint64_t *ea = a->q->ea;

    while (mask != 0) {
        unsigned lane = (unsigned)__builtin_ctz(mask);
        uint64_t offset = ea[lane] - a->base;
        uint32_t lanes = 0;

        for (unsigned i = lane; i < LANES && (mask >> i & 1) != 0 && ea[i] == ea[lane];
             i++)
            lanes |= 1u << i;
        mask &= ~lanes;
        if (offset >= a->bytes || a->q->bytes > a->bytes - offset)
            continue;
        if (a->writes && a->q->kind != RACE_ATOMIC)
            for (uint32_t m = lanes; m != 0; m &= m - 1)
                cells_access(a, offset, a->q->bytes, m & -m);
        else
            cells_access(a, offset, a->q->bytes, lanes);
    }
}

static void
memory_access(struct racer *a, uint32_t mask)
{
    if (!a->writes && is_unwritten(a)) {
        race_quick_reads(a, mask);
        return;
    }
    if (a->writes)
        a->shadow->written = a->stamp;
    if (mask != a->w->mask || !lines_access(a))
        lanes_access(a, mask);
}

/* The lanes may access several allocations. */
static void
global_access(struct racer *a)
{
    uint32_t mask = a->w->mask;

    while (mask != 0) {
        unsigned lane = (unsigned)__builtin_ctz(mask);
        struct allocation *m = access_find(a->w, a->q->slot, a->q->ea[lane]);
        uint32_t inside = 1u << lane;

        for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
            unsigned i = (unsigned)__builtin_ctz(rest);

            if (a->q->ea[i] - m->start < m->bytes)
                inside |= 1u << i;
        }
        in_allocation(a, m);
        if (m->bytes != 0)
            memory_access(a, inside);
        mask &= ~inside;
    }
}

static void
access_space(struct warp *w, const struct insn *in, const struct race_request *q)
{
    struct racer a = racer_of(w, in, q);

    if (a.race->blind)
        return;
    note_site(&a);
    if (a.global) {
        global_access(&a);
        return;
    }
    in_shared(&a);
    if (a.rb->copying != 0)
        race_check_copies(&a, w->mask);
    memory_access(&a, w->mask);
}

void
race_access(struct warp *w, const struct insn *in, const struct race_request *q)
{
    struct race_request part = *q;
    uint64_t offsets[LANES] = {0};
    uint32_t all = w->mask, shared = 0;

    if (q->kind != RACE_READ)
        w->acted |= w->mask;
    if (q->space != PTX_SPACE_GENERIC) {
        access_space(w, in, q);
        return;
    }
    for (uint32_t m = all; m != 0; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctz(m);

        offsets[lane] = q->ea[lane] - SHARED_WINDOW;
        shared |= (uint32_t)(offsets[lane] < WINDOW_BYTES) << lane;
    }
    part.space = PTX_SPACE_GLOBAL;
    w->mask = all & ~shared;
    if (w->mask != 0)
        access_space(w, in, &part);
    part.ea = offsets;
    part.space = PTX_SPACE_SHARED;
    w->mask = shared;
    if (w->mask != 0)
        access_space(w, in, &part);
    w->mask = all;
}

void
race_load_store(struct warp *w, const struct insn *in, enum ptx_space space,
                const uint64_t *ea, bool is_store)
{
    const struct access *ac = in->access;
    const struct race_request q = request_of(ac, space, ea, is_store);

    if (ac->space == PTX_SPACE_CONST)
        return;
    race_access(w, in, &q);
    if (!q.strong || w->block->race->race->blind)
        return;
    for (uint32_t m = w->mask; m != 0; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctz(m);
        uint64_t address =
            space == PTX_SPACE_SHARED ? ea[lane] + SHARED_WINDOW : ea[lane];
        enum race_publishes how = (ac->flags & ACCESS_RELEASES) != 0 ? RACE_EVERYTHING
                                  : address - SHARED_WINDOW < WINDOW_BYTES
                                      ? RACE_IF_FENCED
                                      : RACE_READS;

        if (is_store)
            race_release(w, lane, address, how);
        else
            race_acquire(w, lane, address);
    }
}
