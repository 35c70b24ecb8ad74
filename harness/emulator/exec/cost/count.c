/*
 * Counts what a request to memory takes. In global memory that is sectors of 32 bytes
 * (coalescing), and those that miss the block's L1 cache; in shared memory it is
 * wavefronts (bank conflicts). The counters are those of a site (kernel.h); costs.c adds
 * them up by source line.
 */
#include "count.h"

#include <string.h>

/* How many of four bits are set. */
static unsigned
count_bits4(uint8_t bits)
{
    return (unsigned)(0x4332322132212110u >> (bits * 4) & 15);
}

enum { NO_WAITER = 0xff };

/* A line comes from L2. The warp that waits for it need not wait twice in one region. */
static void
line_requested(const struct warp *w, const struct site_counts *c, struct l1_line *l1)
{
    const struct worker *wk = w->worker;

    l1->ready = clock_ready(w);
    l1->waiter =
        wk->run->kernel->slots[c - wk->sites].no_wait ? NO_WAITER : (uint8_t)w->index;
}

/* Passes sectors of one 128-byte line through the block's L1 cache. */
static void
count_line(struct warp *w, struct site_counts *c, uint64_t line, uint8_t sectors)
{
    struct block *b = w->block;
    struct l1_line *l1 = &b->l1[(line ^ line >> 9) % L1_LINES];
    uint8_t missed;

    if (l1->line != line || l1->stamp != b->l1_stamp) {
        l1->line = line;
        l1->stamp = b->l1_stamp;
        l1->sectors = 0;
    }
    missed = sectors & (uint8_t)~l1->sectors;
    l1->sectors |= sectors;
    if (missed != 0)
        line_requested(w, c, l1);
    else if (l1->ready > w->seen_ready &&
             (l1->waiter != w->index || l1->ready != clock_ready(w)))
        w->seen_ready = l1->ready;
    c->global_lines++;
    c->global_sectors += count_bits4(sectors);
    c->l1_missed_sectors += count_bits4(missed);
    if (line < GLOBAL_BASE >> 7) {
        c->host_sectors += count_bits4(sectors);
        c->host_missed += count_bits4(missed);
    }
}

/* A mask of the sectors that [from, to] covers in the line that begins at base. */
static uint8_t
sector_bits(uint64_t from, uint64_t to, uint64_t base)
{
    uint64_t first = from > base ? (from - base) >> 5 : 0;
    uint64_t last = to < base + 127 ? (to - base) >> 5 : 3;

    return (uint8_t)((2u << last) - (1u << first));
}

/* A request that L1 did not have. */
static void
count_missed(struct warp *w, uint32_t slot)
{
    w->missed += site_counts(w, slot)->waits;
}

/* The end of a request, before which the site had missed so many sectors. What another
 * request has asked for, and what is not there yet, is waited for, too. */
static void
count_waits(struct warp *w, uint32_t slot, uint64_t missed)
{
    if (site_counts(w, slot)->l1_missed_sectors != missed || w->seen_ready > clock_now(w))
        count_missed(w, slot);
    w->seen_ready = 0;
}

void
count_global_range(struct warp *w, uint32_t slot, uint64_t first, uint64_t bytes)
{
    struct site_counts *c = site_counts(w, slot);
    uint64_t last = first + bytes - 1, missed = c->l1_missed_sectors;

    c->global_requests++;
    for (uint64_t line = first >> 7; line <= last >> 7; line++)
        count_line(w, c, line, sector_bits(first, last, line << 7));
    count_waits(w, slot, missed);
}

enum { TABLE = 64, FEW = 4 };

/* The index of a line among those seen, or a new index. The last line and the few first
 * ones are compared before the table is searched. */
static unsigned
line_index(uint64_t line, uint64_t *lines, unsigned *count, uint8_t *table)
{
    unsigned h;

    if (*count <= FEW) {
        for (unsigned i = *count; i > 0; i--)
            if (lines[i] == line)
                return i;
        if (*count < FEW) {
            lines[++*count] = line;
            return *count;
        }
        memset(table, 0, TABLE); /* there are more than a few: they move to the table */
        for (unsigned i = 1; i <= FEW; i++) {
            h = (unsigned)((lines[i] * 0x9e3779b97f4a7c15u) >> 58);
            while (table[h] != 0)
                h = (h + 1) % TABLE;
            table[h] = (uint8_t)i;
        }
    }
    h = (unsigned)((line * 0x9e3779b97f4a7c15u) >> 58);
    while (table[h] != 0 && lines[table[h]] != line)
        h = (h + 1) % TABLE;
    if (table[h] == 0) {
        lines[++*count] = line;
        table[h] = (uint8_t)*count;
    }
    return table[h];
}

/* Accesses are aligned and have at most 32 bytes, so none crosses a sector. */
void
count_global(struct warp *w, uint32_t slot, const uint64_t *addresses, uint32_t mask)
{
    struct site_counts *c = site_counts(w, slot);
    uint8_t table[TABLE], bits[LANES + 1] = {0};
    uint64_t lines[LANES + 1], last = UINT64_MAX, missed = c->l1_missed_sectors;
    unsigned count = 0, at = 0;

    for (uint32_t m = mask; m != 0; m &= m - 1) {
        uint64_t address = addresses[__builtin_ctz(m)];

        if (address >> 7 != last) {
            last = address >> 7;
            at = line_index(last, lines, &count, table);
        }
        bits[at] |= (uint8_t)(1u << (address >> 5 & 3));
    }
    c->global_requests++;
    for (unsigned i = 1; i <= count; i++)
        count_line(w, c, lines[i], bits[i]);
    count_waits(w, slot, missed);
}

/* Counts of the worker's atomics by line. */
static uint64_t *
hot_lines(struct worker *wk)
{
    if (!wk->has_hot) {
        memset(wk->hot, 0, sizeof wk->hot);
        wk->has_hot = true;
    }
    return wk->hot;
}

static unsigned
hot_index(uint64_t line)
{
    return (unsigned)((line * 0x9e3779b97f4a7c15u) >> 54);
}

void
count_atomic_range(struct warp *w, uint32_t slot, uint64_t first, uint64_t bytes,
                   uint32_t element)
{
    struct site_counts *c = site_counts(w, slot);
    uint64_t *hot = hot_lines(w->worker), last = first + bytes;

    if (bytes == 0)
        return;
    c->atomic_sectors -= c->global_sectors;
    count_global_range(w, slot, first, bytes);
    c->atomic_sectors += c->global_sectors;
    c->atomic_requests++;
    for (uint64_t at = first, end; at < last; at = end) {
        end = (at | 127) + 1 < last ? (at | 127) + 1 : last;
        hot[hot_index(at >> 7)] += (end - at) / element;
    }
}

/* A request of atomics on global memory. Atomics on one line of 128 bytes take turns;
 * those of one warp on one address go together. The busiest line is found by a hash of
 * lines. Where far more than HOT_LINES lines share counts, no line matters. */
void
count_atomics(struct warp *w, uint32_t slot, const uint64_t *addresses, uint32_t mask,
              uint32_t leaders)
{
    struct site_counts *c = site_counts(w, slot);
    uint64_t *hot = hot_lines(w->worker);

    c->atomic_sectors -= c->global_sectors;
    count_global(w, slot, addresses, mask);
    c->atomic_sectors += c->global_sectors;
    c->atomic_requests++;
    count_missed(w, slot); /* L1 has no atomics */
    for (uint32_t m = leaders; m != 0; m &= m - 1)
        hot[hot_index(addresses[__builtin_ctz(m)] >> 7)]++;
}

/* Do the lines only grow? Then none was seen before, and no table is needed. */
static bool
count_rising(struct warp *w, struct site_counts *c, uint64_t first_line,
             const uint32_t *sectors, uint32_t count)
{
    uint32_t line = sectors[0] >> 2;
    uint8_t bits = 0;

    for (uint32_t i = 1; i < count; i++)
        if (sectors[i] >> 2 < sectors[i - 1] >> 2)
            return false;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t sector = sectors[i];

        if (sector >> 2 != line) {
            count_line(w, c, first_line + line, bits);
            line = sector >> 2;
            bits = 0;
        }
        bits |= (uint8_t)(1u << (sector & 3));
    }
    count_line(w, c, first_line + line, bits);
    return true;
}

void
count_global_sectors(struct warp *w, uint32_t slot, uint64_t first_line,
                     const uint32_t *sectors, uint32_t count)
{
    struct site_counts *c = site_counts(w, slot);
    uint8_t table[TABLE], bits[LANES + 1] = {0};
    uint64_t lines[LANES + 1] = {0}, missed = c->l1_missed_sectors;
    unsigned seen = 0;

    c->global_requests++;
    if (count_rising(w, c, first_line, sectors, count)) {
        count_waits(w, slot, missed);
        return;
    }
    for (uint32_t i = 0; i < count; i++)
        bits[line_index(first_line + (sectors[i] >> 2), lines, &seen, table)] |=
            (uint8_t)(1u << (sectors[i] & 3));
    for (unsigned i = 1; i <= seen; i++)
        count_line(w, c, lines[i], bits[i]);
    count_waits(w, slot, missed);
}

/* The wavefronts of one phase: the largest number of different words in a bank. */
static unsigned
phase_wavefronts(const uint64_t *words, unsigned count)
{
    uint8_t last[32] = {0},
            depth[32] = {0};     /* by bank: its last word, and how many it has */
    uint8_t before[LANES] = {0}; /* by word: the word before it in its bank */
    unsigned most = 0;

    for (unsigned i = 0; i < count; i++) {
        unsigned bank = words[i] % 32, left = depth[bank], at = last[bank];

        for (; left > 0 && words[at] != words[i]; left--)
            at = before[at];
        if (left > 0)
            continue;
        before[i] = last[bank];
        last[bank] = (uint8_t)i;
        if (++depth[bank] > most)
            most = depth[bank];
    }
    return most;
}

/* Wide accesses have phases of 16 lanes for 8 bytes, and of 8 lanes for 16 bytes. */
void
count_shared(struct warp *w, uint32_t slot, const uint64_t *addresses, uint32_t mask,
             uint32_t bytes)
{
    struct site_counts *c = site_counts(w, slot);
    uint32_t words = bytes <= 4 ? 1 : bytes <= 8 ? 2 : 4;
    uint32_t lanes = LANES / words;
    uint64_t of_phase[LANES];

    c->shared_requests++;
    for (uint32_t at = 0; at < LANES; at += lanes) {
        unsigned count = 0;

        for (uint32_t lane = at; lane < at + lanes; lane++)
            for (uint32_t k = 0; k < words && (mask >> lane & 1) != 0; k++)
                of_phase[count++] = (addresses[lane] >> 2) + k;
        c->shared_wavefronts += phase_wavefronts(of_phase, count);
    }
}

unsigned
count_shared_turns(struct warp *w, uint32_t slot, const uint64_t *addresses,
                   uint32_t mask, uint32_t bytes, unsigned wavefronts)
{
    struct site_counts *c = site_counts(w, slot);
    uint8_t turns[32] = {0}; /* by bank */
    unsigned most = 0;

    for (uint32_t m = mask; m != 0; m &= m - 1) {
        uint64_t word = addresses[__builtin_ctz(m)] >> 2;

        for (uint32_t k = 0; k * 4 < bytes; k++)
            if (++turns[(word + k) % 32] > most)
                most = turns[(word + k) % 32];
    }
    c->shared_requests++;
    c->shared_wavefronts += (uint64_t)most * wavefronts;
    return most;
}

void
count_local(struct warp *w, uint32_t slot, const uint64_t *offsets, uint32_t mask,
            uint32_t bytes)
{
    uint8_t table[TABLE];
    uint64_t words[LANES + 1];
    unsigned count = 0;

    for (uint32_t m = mask; m != 0; m &= m - 1)
        line_index(offsets[__builtin_ctz(m)] >> 2, words, &count, table);
    site_counts(w, slot)->local_wavefronts += count * (bytes <= 4 ? 1 : bytes / 4);
}

void
count_constants(struct warp *w, uint32_t slot, const uint64_t *addresses, uint32_t mask,
                uint32_t bytes)
{
    uint64_t first = addresses[__builtin_ctz(mask)], differ = 0;

    for (unsigned i = 0; i < LANES; i++)
        differ |= (addresses[i] ^ first) & (0 - (uint64_t)(mask >> i & 1));
    if (differ == 0)
        return;
    count_local(w, slot, addresses, mask, bytes);
    site_counts(w, slot)->local_wavefronts -= bytes <= 4 ? 1 : bytes / 4;
}
