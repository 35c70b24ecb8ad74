/*
 * The warps of a block that one record stands for.
 *
 * Where only the whole block meets, and the lanes of each warp, no warp knows what
 * another has done since the last barrier of the block. So it is enough that a record of
 * scope BLOCK names two of its warps. Where some threads meet without the others, a
 * writer may know of one reader up to here and of the next one up to there. Then each
 * warp of the record has a stamp and lanes of its own, its party, and reads of a line are
 * not put together (race->exact). Only shared memory has parties: a kernel that meets in
 * part does so for its tiles.
 */
#include "race_order.h"

static struct race_party *
party_of(const struct race_cell *c, const struct race_record *r)
{
    struct race_party *p = c->parties;

    while (p != NULL && p->of != r)
        p = p->next;
    return p;
}

static void
party_put(struct race_party *p, unsigned warp, uint32_t stamp, uint32_t lanes,
          uint16_t slot)
{
    p->warps |= 1u << warp;
    p->stamps[warp] = stamp;
    p->lanes[warp] = lanes;
    p->slots[warp] = slot;
}

/* The record of one warp of the party. */
static struct race_record
party_record(const struct race_record *r, const struct race_party *p, unsigned warp)
{
    struct race_record one = *r;

    one.scope = RACE_WARP;
    one.warp = (uint8_t)warp;
    one.stamp = p->stamps[warp];
    one.lanes = p->lanes[warp];
    one.slot = p->slots[warp];
    return one;
}

/* Makes the cell's party for a record, which is still that of one warp. */
static struct race_party *
party_begin(const struct racer *a, struct race_cell *c, const struct race_record *r)
{
    struct race_party *p = party_of(c, NULL);

    if (p == NULL) {
        p = race_party_new(a->race, a->shadow);
        if (p == NULL)
            return NULL;
        p->next = c->parties;
        c->parties = p;
    }
    p->of = r;
    p->warps = 0;
    party_put(p, r->warp, r->stamp, r->lanes, r->slot);
    return p;
}

static void
party_join(const struct racer *a, struct race_party *p, const struct race_record *r,
           uint32_t lanes, bool is_read)
{
    uint32_t all = lanes;

    if ((p->warps >> a->warp & 1) != 0) {
        const struct race_record own = party_record(r, p, a->warp);

        if (!is_ordered(a, &own, lanes, is_read))
            all |= own.lanes;
    }
    party_put(p, a->warp, a->stamp, all, (uint16_t)a->q->slot);
}

void
race_party_note(const struct racer *a, struct race_cell *c, struct race_record *r,
                uint32_t lanes, bool is_ordered)
{
    struct race_party *p = c->parties != NULL ? party_of(c, r) : NULL;
    bool joins = !is_ordered && a->race->exact && !a->global;

    if (p != NULL && (is_ordered || r->scope != RACE_BLOCK)) {
        p->of = NULL;
        p = NULL;
    }
    if (joins && r->scope == RACE_WARP && !same_warp(a, r) && r->block == a->block)
        p = party_begin(a, c, r);
    if (joins && p != NULL)
        party_join(a, p, r, lanes, r == &c->r);
    note(a, r, lanes, is_ordered);
}

bool
race_party_has(const struct racer *a, const struct race_cell *c,
               const struct race_record *r, uint32_t lanes)
{
    const struct race_party *p = party_of(c, r);

    return p != NULL && (p->warps >> a->warp & 1) != 0 &&
           p->stamps[a->warp] == a->stamp && (lanes & ~p->lanes[a->warp]) == 0;
}

bool
race_party_ordered(const struct racer *a, const struct race_cell *c,
                   const struct race_record *r, uint32_t lanes, bool is_read,
                   struct race_record *culprit)
{
    const struct race_party *p;

    if (is_ordered(a, r, lanes, is_read))
        return true;
    *culprit = *r;
    if (a->global || r->scope != RACE_BLOCK || r->block != a->block)
        return false;
    p = party_of(c, r);
    if (p == NULL) /* noted before the kernel met in part; is it certain? */
        return a->rb->knows;
    for (uint32_t m = p->warps; m != 0; m &= m - 1) {
        *culprit = party_record(r, p, (unsigned)__builtin_ctz(m));
        if (!is_ordered(a, culprit, lanes, is_read))
            return false;
    }
    return true;
}
