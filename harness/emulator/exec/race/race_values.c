/*
 * The values that a store leaves in memory. A write of the value that is there already is
 * no race, so races by writes are judged by these values.
 */
#include "race_order.h"

#include <string.h>

#pragma GCC optimize("O3")

/* Copies bytes [from, from + n) of what the lane stores. */
static void
stored_bytes(const struct racer *a, unsigned lane, uint32_t from, uint32_t n,
             uint8_t *out)
{
    const struct access *ac = a->in->access;

    for (uint32_t i = 0; i < n; i++) {
        uint32_t at = from + i;

        out[i] = a->w->regs[ac->vectors[at / ac->bytes] + lane * ac->lane_bytes +
                            at % ac->bytes];
    }
}

bool
race_same_value(const struct racer *a, const struct race_record *r, uint64_t offset,
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

/* The bytes as a number. */
static uint64_t
number_at(const uint8_t *bytes, uint32_t n)
{
    uint64_t v8 = 0;
    uint32_t v4;
    uint16_t v2;

    switch (n) {
    case 1:
        return *bytes;
    case 2:
        memcpy(&v2, bytes, sizeof v2);
        return v2;
    case 4:
        memcpy(&v4, bytes, sizeof v4);
        return v4;
    default:
        memcpy(&v8, bytes, sizeof v8);
        return v8;
    }
}

bool
race_leaves_value(const struct racer *a, uint64_t offset, uint32_t n, uint32_t lanes)
{
    const struct access *ac = a->in->access;
    unsigned lane = (unsigned)__builtin_ctz(lanes);
    uint32_t from = (uint32_t)(a->base + offset - a->q->ea[lane]);
    uint8_t mine[32];

    if (!a->q->has_access || n > sizeof mine)
        return false;
    if ((from & (ac->bytes - 1u)) + n <= ac->bytes &&
        (n & (n - 1)) == 0) /* of one element, as is usual */
        return number_at(a->w->regs + ac->vectors[from / ac->bytes] +
                             lane * ac->lane_bytes + from % ac->bytes,
                         n) == number_at(a->host + offset, n);
    stored_bytes(a, lane, from, n, mine);
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

uint32_t
race_silent_words(const struct racer *a, uint64_t offset)
{
    const struct access *ac = a->in->access;
    const uint8_t *there = a->host + offset;
    unsigned log, element_log;
    uint32_t mask = 0, at = (uint32_t)(a->base + offset - a->q->ea[0]);

    if (!a->q->has_access || ac->bytes < 4)
        return 0;
    log = (unsigned)__builtin_ctz(a->q->bytes);
    element_log = (unsigned)__builtin_ctz(ac->bytes);
    if (a->q->bytes == 4 && ac->lane_bytes == 4) {
        const uint8_t *vector = a->w->regs + ac->vectors[0] + at;

        if (!words_equal(vector, there))
            return 0;
        if (memcmp(vector, there, RACE_LINE) == 0)
            return UINT32_MAX;
    }
    for (unsigned i = 0; i < RACE_WORDS; i++, at += 4) {
        uint32_t lane = at >> log, from = at & (a->q->bytes - 1), mine, now;

        memcpy(&mine,
               a->w->regs + ac->vectors[from >> element_log] + lane * ac->lane_bytes +
                   (from & (ac->bytes - 1u)),
               sizeof mine);
        memcpy(&now, there + 4 * i, sizeof now);
        mask |= (uint32_t)(mine == now) << i;
    }
    return mask;
}
