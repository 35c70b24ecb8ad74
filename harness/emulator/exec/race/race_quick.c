/*
 * Reads of memory that nobody has written since the last barrier, that of the block for
 * shared memory, the launch for global memory. Nearly all reads of nearly all kernels are
 * such. A line keeps which words were read, and who read, but not who read which word
 * (struct race_quick).
 *
 * Loads by whole warps that access.inc has seen to be regular come here at once, without
 * a list of addresses.
 */
#include "race_order.h"

#pragma GCC optimize("O3")

/* Lanes of an access that lie in one line, and the words that they read. */
struct portion {
    uint64_t offset; /* of the line, or inside it */
    uint64_t first;  /* address of the access's lane 0 */
    uint32_t lanes, words;
    uint32_t many; /* words that several of the lanes read */
    uint32_t part; /* words that the lanes don't read as a whole */
    bool own;      /* each lane reads its own element, in order */
};

/* The words read in part, after these others are read as well. */
static inline uint32_t
join_parts(uint32_t part, uint32_t words, uint32_t new_part, uint32_t new_words)
{
    return (part & new_part) | (part & ~new_words) | (new_part & ~words);
}

/* Has the line noted all of the portion already? */
static inline bool
is_known(const struct racer *a, const struct race_quick *q, const struct portion *p)
{
    return q->r.stamp == a->stamp && q->bytes == 0 &&
           (p->words & ~(q->many & q->late)) == 0 && q->r.block == a->block &&
           q->r.strong == a->strong && q->r.quiet <= a->q->quiet &&
           (q->r.scope != RACE_WARP ||
            (q->r.warp == a->warp && (p->lanes & ~q->r.lanes) == 0));
}

/* Notes which words of the portion somebody else has read. Two lanes of one warp count
 * until another warp or block comes. From then on it counts what these two have read. Of
 * the next ones it is not known what they have read before; but blocks run one after the
 * other. */
static inline void
note_many(const struct racer *a, struct race_quick *q, const struct portion *p)
{
    bool same = same_warp(a, &q->r);
    bool moved = p->own && q->bytes == a->q->bytes && q->first != (uint32_t)p->first;
    uint32_t both = a->q->bytes >= 4 ? q->any & p->words : 0;

    if (same)
        q->many |= a->q->bytes >= 4 ? p->many | (moved ? both : 0) : 0;
    else if (q->r.scope == RACE_WARP ||
             (q->r.scope == RACE_BLOCK && q->r.block != a->block))
        q->many = both;
    else if (q->r.scope == RACE_GRID && q->r.block != a->block &&
             q->r.other_block != a->block)
        q->many |= both;
}

static inline void
quick_read(const struct racer *a, const struct portion *p)
{
    struct race_line *l = line_at(a, p->offset);
    struct race_quick *q;
    uint32_t bytes = a->q->bytes;
    bool alike, all_many;

    if (l == NULL)
        return;
    q = &l->quick;
    if (is_known(a, q, p))
        return;
    if (q->r.stamp < a->old || (same_block(a, &q->r) && q->r.stamp < a->block_floor)) {
        set_record(a, &q->r, p->lanes);
        q->any = p->words;
        q->many = p->many;
        q->late = p->words;
        q->part = p->part;
        q->first = (uint32_t)p->first;
        q->bytes = (uint8_t)(p->own ? bytes : 0);
        return;
    }
    note_many(a, q, p);
    if (a->stamp >= q->r.stamp)
        q->late = (a->stamp > q->r.stamp ? 0 : q->late) | p->words;
    /* Where the same lanes read each other's words, all of these are in q->many. Of the
     * rest it is still known which lane reads which. */
    alike = p->own && q->bytes == bytes && same_warp(a, &q->r);
    all_many = bytes >= 4 && (p->words & ~q->any) == 0;
    q->part = join_parts(q->part, q->any, p->part, p->words);
    q->any |= p->words;
    if (!alike || (q->first != (uint32_t)p->first && !all_many))
        q->bytes = 0;
    merge(a, &q->r, p->lanes);
    if (q->r.scope == RACE_GRID && q->r.block != a->block) { /* the latest block */
        q->r.other_block = a->block;
        q->r.other_slot = (uint16_t)a->q->slot;
        q->r.other_warp = a->warp;
        q->r.other_lane = (uint8_t)__builtin_ctz(p->lanes);
    }
    q->r.strong &= a->strong;
}

static inline uint32_t
words_of(uint64_t offset, uint32_t bytes)
{
    uint32_t first = (uint32_t)offset % RACE_LINE / 4;
    uint32_t count = ((uint32_t)offset % 4 + bytes + 3) / 4;

    return (count >= 32 ? UINT32_MAX : (1u << count) - 1) << first;
}

/* The first and the last of these words, where a part of them lies outside. */
static inline uint32_t
parts_of(uint64_t offset, uint32_t bytes)
{
    uint64_t end = offset + bytes;

    return (offset % 4 != 0 ? words_of(offset, 1) : 0) |
           (end % 4 != 0 ? words_of(end - 1, 1) : 0);
}

static inline uint32_t
lanes_up_to(uint64_t lane)
{
    return lane >= LANES ? FULL_MASK : (1u << lane) - 1;
}

/* --- regular loads ----------------------------------------------------------------- */

/* All lanes read one element. */
static inline void
read_uniform(const struct racer *a, uint64_t first)
{
    struct portion p = {.offset = first - a->base, .first = first, .lanes = FULL_MASK};

    p.words = words_of(p.offset, a->q->bytes);
    p.many = a->q->bytes >= 4 ? p.words : 0;
    p.part = parts_of(p.offset, a->q->bytes);
    quick_read(a, &p);
}

/* Each lane reads its own element; line by line. */
static inline void
read_consecutive(const struct racer *a, uint64_t first)
{
    uint64_t bytes = a->q->bytes, start = first - a->base, end = start + bytes * LANES;
    struct portion p = {.offset = start, .first = first, .own = true};
    uint32_t before = 0;

    while (p.offset < end) {
        uint64_t next = (p.offset / RACE_LINE + 1) * RACE_LINE;
        uint32_t lanes;

        next = next < end ? next : end;
        lanes = lanes_up_to((next - start) / bytes);
        p.lanes = lanes & ~before;
        p.words = words_of(p.offset, (uint32_t)(next - p.offset));
        p.part = parts_of(p.offset, (uint32_t)(next - p.offset));
        quick_read(a, &p);
        p.offset = next;
        before = lanes;
    }
}

/* Groups of lanes, one after the other. Those in one line go together. */
static inline void
read_groups(const struct racer *a, const struct lane_groups *g)
{
    uint64_t bytes = a->q->bytes, line = UINT64_MAX;
    struct portion p = {.first = g->first[0]};

    for (unsigned k = 0; k < GROUPS; k++) {
        uint64_t at = g->first[k] - a->base, step = g->uniform[k] ? 0 : bytes;
        uint64_t end = at + bytes + (GROUP - 1) * step;
        bool own = step != 0 && g->first[k] == g->first[0] + k * GROUP * bytes;
        uint32_t before = lanes_up_to((uint64_t)k * GROUP);

        for (uint64_t start = at; at < end;) {
            uint64_t next = (at / RACE_LINE + 1) * RACE_LINE;
            uint32_t lanes, words;

            next = next < end ? next : end;
            lanes =
                lanes_up_to(k * GROUP + (next == end ? GROUP : (next - start) / bytes));
            words = words_of(at, (uint32_t)(next - at));
            if (at / RACE_LINE != line) {
                if (line != UINT64_MAX)
                    quick_read(a, &p);
                line = at / RACE_LINE;
                p.offset = at;
                p.lanes = p.words = p.many = p.part = 0;
                p.own = true;
            }
            p.part =
                join_parts(p.part, p.words, parts_of(at, (uint32_t)(next - at)), words);
            p.many |= (step == 0 ? words : p.words & words) & (bytes >= 4 ? ~0u : 0);
            p.words |= words;
            p.lanes |= lanes & ~before;
            p.own &= own;
            before = lanes;
            at = next;
        }
    }
    quick_read(a, &p);
}

/* Finds the memory of a regular load; false: it must go the usual way. */
static inline bool
find_unwritten(struct racer *a, uint64_t first, uint64_t bytes)
{
    if (a->global)
        in_allocation(a, access_find(a->w, a->q->slot, first));
    else
        in_shared(a);
    if (!a->global && a->rb->copying != 0 && race_is_copied(a->rb, first, bytes))
        return false;
    return first - a->base < a->bytes && bytes <= a->bytes - (first - a->base) &&
           is_unwritten(a);
}

void
race_load_run(struct warp *w, const struct insn *in, enum ptx_space space, uint64_t first,
              uint32_t step)
{
    const struct race_request q = request_of(in->access, space, NULL, false);
    struct racer a = racer_of(w, in, &q);
    uint64_t ea[LANES];

    if (a.race->blind || in->access->space == PTX_SPACE_CONST)
        return;
    if (find_unwritten(&a, first, q.bytes + (LANES - 1) * (uint64_t)step)) {
        note_site(&a);
        if (step == 0)
            read_uniform(&a, first);
        else
            read_consecutive(&a, first);
        return;
    }
    for (unsigned i = 0; i < LANES; i++)
        ea[i] = first + i * (uint64_t)step;
    race_load_store(w, in, space, ea, false);
}

void
race_load_groups(struct warp *w, const struct insn *in, enum ptx_space space,
                 const struct lane_groups *g)
{
    const struct race_request q = request_of(in->access, space, NULL, false);
    struct racer a = racer_of(w, in, &q);
    uint64_t ea[LANES];

    if (a.race->blind || in->access->space == PTX_SPACE_CONST)
        return;
    if (find_unwritten(&a, g->least, g->most - g->least + q.bytes)) {
        note_site(&a);
        read_groups(&a, g);
        return;
    }
    for (unsigned i = 0; i < LANES; i++)
        ea[i] = g->first[i / GROUP] +
                (g->uniform[i / GROUP] ? 0 : i % GROUP * (uint64_t)q.bytes);
    race_load_store(w, in, space, ea, false);
}

/* --- any loads --------------------------------------------------------------------- */

/* The words that these lanes read, element by element, but not as a whole. */
static uint32_t
parts_of_lanes(const struct racer *a, uint32_t lanes)
{
    uint32_t by_place[4] = {0}; /* words whose first, second, ... byte is read */
    uint32_t all, any;

    for (; lanes != 0; lanes &= lanes - 1) {
        uint64_t at = a->q->ea[__builtin_ctz(lanes)] - a->base;

        for (uint32_t i = 0; i < a->q->bytes; i++)
            by_place[(at + i) % 4] |= 1u << ((at + i) / 4 % RACE_WORDS);
    }
    all = by_place[0] & by_place[1] & by_place[2] & by_place[3];
    any = by_place[0] | by_place[1] | by_place[2] | by_place[3];
    return any & ~all;
}

/* Notes the access line by line. Consecutive lanes in one line go together. */
void
race_quick_reads(const struct racer *a, uint32_t mask)
{
    const uint64_t *ea = a->q->ea;
    uint32_t bytes = a->q->bytes;

    while (mask != 0) {
        const unsigned first = (unsigned)__builtin_ctz(mask);
        const uint64_t line = (ea[first] - a->base) / RACE_LINE;
        struct portion p = {.offset = line * RACE_LINE, .first = ea[0]};
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
        p.lanes = lanes_up_to(lane) & ~lanes_up_to(first);
        p.many = bytes >= 4 ? p.many : 0;
        p.part = bytes >= 4 ? 0 : parts_of_lanes(a, p.lanes);
        p.own = strays == 0 && a->w->mask == FULL_MASK;
        mask &= ~p.lanes;
        if (p.offset < a->bytes)
            quick_read(a, &p);
    }
}

/* --- writes to what was read ------------------------------------------------------- */

bool
race_quick_passes(const struct racer *a, struct race_line *l)
{
    struct race_quick *q = &l->quick;

    if (q->any != 0 && !is_old(a, &q->r) &&
        !(same_warp(a, &q->r) && q->bytes == a->q->bytes &&
          q->first == (uint32_t)a->q->ea[0] && q->many == 0))
        return false;
    q->any = q->many = 0;
    return true;
}

/* Do these lanes know of some of the accesses of their own warp that the record is of? */
static bool
knows_some_lanes(const struct racer *a, const struct race_record *r, uint32_t lanes)
{
    const struct race_warp *rw = &a->rb->warps[a->warp];

    if (rw->seen == NULL)
        return false;
    for (; lanes != 0; lanes &= lanes - 1)
        for (uint32_t m = r->lanes; m != 0; m &= m - 1)
            if (rw->seen[__builtin_ctz(lanes)][__builtin_ctz(m)] > r->stamp)
                return true;
    return false;
}

/* Is it certain that somebody else has read these words, and that nothing orders it? The
 * record is not ordered as a whole. So it is not certain where the warp may know some of
 * the readers, or has met since it read these words. */
static bool
is_certain(const struct racer *a, const struct race_quick *q, uint64_t offset,
           uint32_t words, uint32_t lanes)
{
    uint32_t hit = q->any & words;
    uint32_t at = (uint32_t)(a->base + offset);

    if ((hit & ~q->part) == 0 ||
        ((a->rb->knows || same_warp(a, &q->r)) && (hit & q->late) == 0))
        return false;
    if (same_warp(a, &q->r))
        return !knows_some_lanes(a, &q->r, lanes) &&
               ((q->many & hit & q->late) != 0 ||
                (q->bytes != 0 &&
                 (lanes & ~(1u << ((at - q->first) / q->bytes & 31))) != 0));
    if (q->r.scope == RACE_GRID || (q->r.scope == RACE_BLOCK && q->r.block == a->block))
        return (q->many & hit) != 0;
    return true;
}

void
race_check_quick(const struct racer *a, struct race_line *l, uint64_t offset,
                 uint32_t bytes, uint32_t lanes)
{
    const uint32_t words = words_of(offset, bytes);
    struct race_quick *q = &l->quick;

    if ((q->any & words) == 0 || after_read(a, &q->r, lanes)) {
        q->any &= ~words;
        q->many &= ~words;
        return;
    }
    if (harmless(a, &q->r, false) || race_leaves_value(a, offset, bytes, lanes))
        return;
    if (is_certain(a, q, offset, words, lanes))
        race_tell(a, &q->r, false, offset, lanes, false);
    else if (!a->global && (!same_warp(a, &q->r) || a->rb->warps[a->warp].seen != NULL))
        race_be_exact(a->race);
}
