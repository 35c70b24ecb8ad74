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
 * What is not told, because programs that a GPU executes as their authors mean rely on
 * it:
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
 *     stores, found when a kernel is decoded (race_static.c);
 *   - a read before an atomic of the same thread on the same location (the first read of
 *     a compare-and-swap loop, `if (d < best) atomicMin(&best, d)`): ACCESS_QUIET loads;
 *   - that a fence is in the block's code at all is enough for an atomic to publish what
 *     its thread knows, wherever the fence stands, and a reader needs none;
 *   - a write after reads whose thread has then stored something volatile or relaxed that
 *     the writer saw, fence or no fence.
 *
 * Time. One counter, race.now, runs through a launch; every synchronisation advances it.
 * An access is stamped with the counter as of its thread's last synchronisation. A floor
 * says "all accesses with a smaller stamp are known": one for the launch, one for a block
 * (its last barrier), one for a warp (its last *.sync of all lanes). So nearly every
 * question is one comparison, and a barrier costs an addition. What whole barriers don't
 * tell is in race_clock.c.
 *
 * Memory. For each byte the last write and the last reads are remembered (race_record).
 * Reads that are not ordered are merged: lanes of one warp, warps of one block, blocks of
 * the grid. A whole warp that accesses 128 aligned bytes, lane by lane, is one record for
 * all (race_line, COMPACT); only where that is not enough, a line gets a cell for each
 * word, or for each byte where smaller elements are accessed.
 *
 * With diagnostics on, one worker runs all blocks in order: a kernel with a race then
 * computes, and is told, the same thing every time.
 */
#ifndef __clang__
/* gcc's analyzer does not know that what mmap gives (race_shadow.c) is zeros. */
#pragma GCC diagnostic ignored "-Wanalyzer-use-of-uninitialized-value"
#endif

#include "race_order.h"

#include <string.h>

#pragma GCC optimize("O3")

/* --- values ------------------------------------------------------------------------ */

/* Bytes from..from+n of what the lane stores. */
static void
stored_bytes(const struct racer *a, unsigned lane, uint32_t from, uint32_t n,
             uint8_t *out)
{
    const struct access *ac = a->in->access;

    for (uint32_t i = 0; i < n; i++) {
        uint32_t at = from + i;

        out[i] =
            a->w->regs[ac->rows[at / ac->bytes] + lane * ac->row_bytes + at % ac->bytes];
    }
}

/* Writes to bytes that another has written: do all of these lanes store what is there, or
 * where that other is a lane of this very instruction, what that lane stores? */
static bool
same_value(const struct racer *a, const struct race_record *r, uint64_t offset,
           uint32_t n, uint32_t lanes, bool *same_instant)
{
    uint8_t mine[8], other[8];
    uint64_t address = a->base + offset;

    *same_instant = false;
    if (!a->q->has_access || n > sizeof mine)
        return false;
    memcpy(other, a->host + offset, n);
    if (same_warp(a, r) && r->slot == (uint16_t)a->q->slot && r->stamp == a->stamp) {
        unsigned first = (unsigned)__builtin_ctz(r->lanes);
        uint64_t there = a->q->ea[first];

        if ((a->w->mask >> first & 1) != 0 && address - there < a->q->bytes &&
            n <= a->q->bytes - (address - there)) {
            stored_bytes(a, first, (uint32_t)(address - there), n, other);
            *same_instant = true;
        }
    }
    for (; lanes != 0; lanes &= lanes - 1) {
        unsigned lane = (unsigned)__builtin_ctz(lanes);

        stored_bytes(a, lane, (uint32_t)(address - a->q->ea[lane]), n, mine);
        if (memcmp(mine, other, n) != 0)
            return false;
    }
    return true;
}

/* Does the lane (the first of lanes) store what is there? */
static bool
leaves_value(const struct racer *a, uint64_t offset, uint32_t n, uint32_t lanes)
{
    unsigned lane = (unsigned)__builtin_ctz(lanes);
    uint8_t mine[32];

    if (!a->q->has_access || n > sizeof mine)
        return false;
    stored_bytes(a, lane, (uint32_t)(a->base + offset - a->q->ea[lane]), n, mine);
    return memcmp(mine, a->host + offset, n) == 0;
}

/* Is any word of a line the same in both? */
static bool
words_equal(const uint8_t *a, const uint8_t *b)
{
    uint32_t x[RACE_WORDS], y[RACE_WORDS], any = 0;

    memcpy(x, a, sizeof x);
    memcpy(y, b, sizeof y);
    for (unsigned i = 0; i < RACE_WORDS; i++)
        any |= x[i] == y[i];
    return any != 0;
}

/* The words of a line, written lane by lane in order, that stay as they are. */
static uint32_t
silent_words(const struct racer *a, uint64_t offset)
{
    const struct access *ac = a->in->access;
    const uint8_t *there = a->host + offset;
    uint32_t mask = 0, at = (uint32_t)(a->base + offset - a->q->ea[0]);

    if (!a->q->has_access || ac->bytes < 4)
        return 0;
    if (a->q->bytes == 4 && ac->row_bytes == 4) {
        const uint8_t *row = a->w->regs + ac->rows[0] + at;

        if (!words_equal(row, there))
            return 0;
        if (memcmp(row, there, RACE_LINE) == 0)
            return UINT32_MAX;
    }
    for (unsigned i = 0; i < RACE_WORDS; i++, at += 4) {
        uint32_t lane = at / a->q->bytes, from = at % a->q->bytes, mine, now;

        memcpy(&mine,
               a->w->regs + ac->rows[from / ac->bytes] + lane * ac->row_bytes +
                   from % ac->bytes,
               sizeof mine);
        memcpy(&now, there + 4 * i, sizeof now);
        mask |= (uint32_t)(mine == now) << i;
    }
    return mask;
}

/* --- one cell ---------------------------------------------------------------------- */

static void
tell(const struct racer *a, const struct race_record *r, bool other_writes,
     uint64_t offset, uint32_t lanes, bool same_instant)
{
    const struct race_event e = {.other = r,
                                 .other_writes = other_writes,
                                 .lanes = lanes,
                                 .address = a->base + offset,
                                 .same_instant = same_instant};

    race_report(a->w, a->in, a->q, &e);
}

static void
read_cell(const struct racer *a, struct race_cell *c, uint64_t offset, uint32_t lanes)
{
    const struct race_record *r = &c->r;

    if (!after_write(a, &c->w, lanes) && !harmless(a, &c->w, true))
        tell(a, &c->w, true, offset, lanes, false);
    if (!a->strong && !after_write(a, &c->s, lanes) && !harmless(a, &c->s, true))
        tell(a, &c->s, true, offset, lanes, false);
    /* What is noted already. */
    if (r->stamp == a->stamp && r->block == a->block && r->strong == a->strong &&
        r->quiet <= a->q->quiet &&
        (r->scope != RACE_WARP || (r->warp == a->warp && (lanes & ~r->lanes) == 0)))
        return;
    note_read(a, &c->r, lanes);
}

static void
write_cell(const struct racer *a, struct race_cell *c, uint64_t offset, uint32_t n,
           uint32_t lanes)
{
    bool after_writes = after_write(a, &c->w, lanes);
    bool after_reads = after_read(a, &c->r, lanes);
    bool after_strong = after_write(a, &c->s, lanes), same_instant = false;
    bool silent = leaves_value(a, offset, n, lanes);
    uint32_t before = c->w.stamp;

    if (!after_writes && !same_value(a, &c->w, offset, n, lanes, &same_instant)) {
        tell(a, &c->w, true, offset, lanes, same_instant);
        after_writes = true; /* told: what follows is about the new one */
    }
    if (!after_strong && !a->strong &&
        !same_value(a, &c->s, offset, n, lanes, &same_instant))
        tell(a, &c->s, true, offset, lanes, false);
    if (!after_reads && !silent && !harmless(a, &c->r, false))
        tell(a, &c->r, false, offset, lanes, false);
    if (a->strong) {
        /* In global memory an atomic's thread knows the atomics before it on the same
         * location (PTX ISA 8.9.5: they precede it in causality order), those of other
         * blocks as well: the last of all to count may clear the counter. */
        bool counts = a->global && a->q->kind == RACE_ATOMIC && c->s.atomic;

        note(a, &c->s, lanes, after_strong || counts);
        return;
    }
    /* A loop that stores the same again and again is as loud as its first time. */
    silent = silent && (before != a->stamp || c->w.silent);
    note(a, &c->w, lanes, after_writes);
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

/* The access as one record for the whole line; false: it takes cells. */
static bool
line_access(const struct racer *a, struct race_line *l, uint64_t offset, int lane0,
            unsigned log)
{
    struct race_record *w = &l->whole.w, *r = &l->whole.r;
    bool after_writes = by_line_ordered(a, w, lane0, log, l->lane0_w, l->log_w);
    bool after_reads = by_line_ordered(a, r, lane0, log, l->lane0_r, l->log_r);

    if (a->writes) {
        uint32_t loud = w->stamp == a->stamp ? ~l->silent : 0;

        if (!after_writes || !after_reads)
            return false;
        *w = record_of(a, FULL_MASK);
        l->silent = silent_words(a, offset) & ~loud;
        l->lane0_w = (int16_t)lane0;
        l->log_w = (uint8_t)log;
        r->stamp = 0;
        return true;
    }
    if (!after_writes && !harmless(a, w, true))
        return false;
    if (after_reads) {
        *r = record_of(a, FULL_MASK);
        l->lane0_r = (int16_t)lane0;
        l->log_r = (uint8_t)log;
        return true;
    }
    if (same_warp(a, r) || r->strong != a->strong || lane0 != l->lane0_r ||
        log != l->log_r)
        return false;
    merge(a, r, FULL_MASK);
    return true;
}

/* A line that nobody has touched since the last barrier (of the block for shared memory,
 * of the launch for global memory) starts anew. */
static struct race_line *
line_at(const struct racer *a, uint64_t offset)
{
    struct race_line *l = race_line_at(a->race, a->shadow, a->bytes, offset);

    if (l == NULL)
        return NULL;
    if (l->touched < (a->global ? a->old : a->block_floor)) {
        l->whole.w.stamp = l->whole.r.stamp = 0;
        l->quick.any = l->quick.many = 0;
        l->quick.r.stamp = 0;
        l->state = RACE_COMPACT;
    }
    if (l->touched < a->stamp)
        l->touched = a->stamp;
    return l;
}

/* --- reads of what nobody has written -------------------------------------------------
 */

/* Lanes of an access that lie in one line, and the words that they read. */
struct portion {
    uint64_t offset; /* of the line, or inside it */
    uint32_t lanes, words;
    uint32_t many; /* words that several of the lanes read */
    bool own;      /* each lane reads its own element, in order */
};

static bool
is_unwritten(const struct racer *a)
{
    return a->shadow->written < (a->global ? a->old : a->block_floor);
}

static void
quick_read(const struct racer *a, const struct portion *p)
{
    struct race_line *l = line_at(a, p->offset);
    struct race_quick *q;
    uint32_t bytes = a->q->bytes;

    if (l == NULL)
        return;
    q = &l->quick;
    if (q->r.stamp == a->stamp && q->bytes == 0 && (p->words & ~q->many) == 0 &&
        q->r.block == a->block && q->r.strong == a->strong && q->r.quiet <= a->q->quiet &&
        (q->r.scope != RACE_WARP ||
         (q->r.warp == a->warp && (p->lanes & ~q->r.lanes) == 0)))
        return; /* known already */
    if (q->r.stamp < a->old || (same_block(a, &q->r) && q->r.stamp < a->block_floor)) {
        *q = (struct race_quick){.r = record_of(a, p->lanes),
                                 .any = p->words,
                                 .many = p->many,
                                 .first = a->q->ea[0],
                                 .bytes = (uint8_t)(p->own ? bytes : 0)};
        return;
    }
    if (bytes >= 4) {
        bool others = !same_warp(a, &q->r) ||
                      (p->own && q->bytes == bytes && q->first != a->q->ea[0]);

        q->many |= p->many | (others ? q->any & p->words : 0);
    }
    q->any |= p->words;
    if (!p->own || q->bytes != bytes || q->first != a->q->ea[0] || !same_warp(a, &q->r))
        q->bytes = 0;
    merge(a, &q->r, p->lanes);
    q->r.strong &= a->strong;
}

static uint32_t
words_of(uint64_t offset, uint32_t bytes)
{
    uint32_t first = (uint32_t)offset % RACE_LINE / 4;
    uint32_t count = ((uint32_t)offset % 4 + bytes + 3) / 4;

    return (count >= 32 ? UINT32_MAX : (1u << count) - 1) << first;
}

/* The two usual cases of a whole warp: all lanes read the same, or whole lines lane by
 * lane. */
static bool
quick_pattern(const struct racer *a)
{
    const uint64_t *ea = a->q->ea;
    uint64_t bytes = a->q->bytes, spread = 0, wrong = 0, offset = ea[0] - a->base;
    struct portion p = {.offset = offset, .lanes = FULL_MASK, .own = true};

    if (ea[1] == ea[0]) {
        for (unsigned i = 0; i < LANES; i++)
            spread |= ea[i] ^ ea[0];
        if (spread != 0 || offset >= a->bytes)
            return false;
        p.own = false;
        p.words = words_of(offset, (uint32_t)bytes);
        p.many = bytes >= 4 ? p.words : 0;
        quick_read(a, &p);
        return true;
    }
    for (unsigned i = 0; i < LANES; i++)
        wrong |= ea[i] ^ (ea[0] + i * bytes);
    if (wrong != 0 || bytes < 4 || bytes > 16 || offset % RACE_LINE != 0 ||
        offset >= a->bytes || bytes * LANES > a->bytes - offset)
        return false;
    p.words = UINT32_MAX;
    p.lanes = bytes == 4 ? FULL_MASK : bytes == 8 ? 0xffff : 0xff;
    for (uint64_t end = offset + bytes * LANES; p.offset < end; p.offset += RACE_LINE) {
        quick_read(a, &p);
        p.lanes <<= RACE_LINE / bytes % LANES;
    }
    return true;
}

/* The lanes of the access, by line: consecutive lanes in one line go together. */
static void
quick_reads(const struct racer *a, uint32_t mask)
{
    const uint64_t *ea = a->q->ea;
    uint32_t bytes = a->q->bytes;

    if (mask == FULL_MASK && quick_pattern(a))
        return;
    while (mask != 0) {
        const unsigned first = (unsigned)__builtin_ctz(mask);
        const uint64_t line = (ea[first] - a->base) / RACE_LINE;
        struct portion p = {.offset = line * RACE_LINE};
        uint64_t strays = 0;
        unsigned lane = first;

        for (; lane < LANES && (mask >> lane & 1) != 0; lane++) {
            const uint64_t at = ea[lane] - a->base;
            const uint32_t words =
                bytes == 4 ? 1u << (at / 4 % RACE_WORDS) : words_of(at, bytes);

            if (at / RACE_LINE != line)
                break;
            p.many |= p.words & words;
            p.words |= words;
            strays |= ea[lane] ^ (ea[0] + lane * (uint64_t)bytes);
        }
        p.lanes = (uint32_t)(((uint64_t)1 << lane) - ((uint64_t)1 << first));
        p.many = bytes >= 4 ? p.many : 0;
        p.own = strays == 0 && a->w->mask == FULL_MASK;
        mask &= ~p.lanes;
        if (p.offset < a->bytes)
            quick_read(a, &p);
    }
}

/* A whole line is written by those who have read it, each lane its own element: nothing
 * else was read that is not old. Then nothing of the reads is kept. */
static bool
quick_passes(const struct racer *a, struct race_line *l)
{
    struct race_quick *q = &l->quick;

    if (q->any != 0 && !is_old(a, &q->r) &&
        !(same_warp(a, &q->r) && q->bytes == a->q->bytes && q->first == a->q->ea[0] &&
          q->many == 0))
        return false;
    q->any = q->many = 0;
    return true;
}

/* A write to words of a line that were read in that way: who read them is known only in
 * part, and what is not certain is not told. */
static void
check_quick(const struct racer *a, struct race_line *l, uint64_t offset, uint32_t bytes,
            uint32_t lanes)
{
    const uint32_t words = words_of(offset, bytes);
    struct race_quick *q = &l->quick;
    bool certain;

    if ((q->any & words) == 0 || after_read(a, &q->r, lanes)) {
        q->any &= ~words;
        q->many &= ~words;
        return;
    }
    certain = (q->many & words) != 0 || q->r.block != a->block ||
              (q->r.scope == RACE_WARP && q->r.warp != a->warp);
    if (q->r.scope == RACE_GRID && (q->many & words) == 0)
        certain = false;
    if (same_warp(a, &q->r) && q->bytes != 0)
        certain |=
            (lanes & ~(1u << ((a->base + offset - q->first) / q->bytes & 31))) != 0;
    if (certain && !harmless(a, &q->r, false) && !leaves_value(a, offset, bytes, lanes))
        tell(a, &q->r, false, offset, lanes, false);
}

/* --- cells of a line --------------------------------------------------------------- */

/* These lanes access [offset, offset + bytes), all the same. */
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
            check_quick(a, l, offset, bytes, lanes);
        step = l->state == RACE_BY_BYTE ? 1 : 4;
        for (; bytes > 0 && at < RACE_LINE; at += step, offset += step, bytes -= step) {
            struct race_cell *c = &l->cells[at / step];

            if (a->writes)
                write_cell(a, c, offset, step, lanes);
            else
                read_cell(a, c, offset, lanes);
        }
    }
}

/* --- one instruction --------------------------------------------------------------- */

/* Consecutive, a whole warp, from the start of a line: line by line. */
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
        if (l->state == RACE_COMPACT && (!a->writes || quick_passes(a, l)) &&
            line_access(a, l, offset, -(int)at, (unsigned)__builtin_ctz(bytes)))
            continue;
        for (unsigned i = at / bytes; i < (at + RACE_LINE) / bytes; i++)
            cells_access(a, ea[i] - a->base, bytes, 1u << i);
    }
    return true;
}

/* Runs of lanes with one address go together. Lanes outside of the memory are not ours:
 * their access faults. */
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
        quick_reads(a, mask);
        return;
    }
    if (a->writes)
        a->shadow->written = a->stamp;
    if (mask != a->w->mask || !lines_access(a))
        lanes_access(a, mask);
}

/* Lanes may access several allocations. */
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
        a->shadow = &m->race;
        a->base = m->start;
        a->bytes = m->bytes;
        a->host = m->host;
        if (m->bytes != 0)
            memory_access(a, inside);
        mask &= ~inside;
    }
}

static void
access_space(struct warp *w, const struct insn *in, const struct race_request *q)
{
    struct block *b = w->block;
    struct race_block *rb = b->race;
    const struct race_warp *rw = &rb->warps[w->index];
    struct racer a = {.race = rb->race,
                      .rb = rb,
                      .w = w,
                      .in = in,
                      .q = q,
                      .stamp = rw->stamp > rb->floor ? rw->stamp : rb->floor,
                      .block_floor = rb->floor,
                      .warp_floor = rw->floor,
                      .block = (uint32_t)b->number,
                      .warp = (uint8_t)w->index,
                      .strong = q->strong || q->kind == RACE_ATOMIC,
                      .writes = q->kind != RACE_READ,
                      .global = q->space != PTX_SPACE_SHARED};

    if (a.race->blind)
        return;
    a.race->sites[q->slot % RACE_SITES] = (struct race_site){in, w->frame->program};
    if (a.global) {
        a.old = a.race->launch_floor;
        global_access(&a);
        return;
    }
    a.old = rb->start;
    a.shadow = &rb->shared;
    a.bytes = b->shared_bytes;
    a.host = b->shared;
    memory_access(&a, w->mask);
}

void
race_access(struct warp *w, const struct insn *in, const struct race_request *q)
{
    struct race_request part = *q;
    uint64_t offsets[LANES] = {0};
    uint32_t all = w->mask, shared = 0;

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
    const struct race_request q = {.ea = ea,
                                   .bytes = (uint32_t)ac->bytes * ac->elements,
                                   .slot = ac->slot,
                                   .space = space,
                                   .kind = is_store ? RACE_WRITE : RACE_READ,
                                   .strong = (ac->flags & ACCESS_WAITS) != 0,
                                   .quiet = (ac->flags & ACCESS_QUIET) != 0,
                                   .has_access = true};

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
