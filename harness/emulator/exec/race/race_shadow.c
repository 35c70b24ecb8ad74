/*
 * What is remembered of memory: a line for 128 bytes, and cells where the accesses to a
 * line differ. The lines of an allocation lie in one mapping, which is committed on use.
 * Cells come in chunks, which are freed with it.
 */
#include "race.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* Beyond this, lines that would need cells are not watched. So there is no false alarm,
 * and the machine still runs. */
#define MAX_CELL_BYTES ((uint64_t)1 << 30)

enum { CHUNK_CELLS = 32 * RACE_WORDS };

struct race_chunk {
    struct race_chunk *next;
    size_t used, max;
    uint64_t *total;
    struct race_cell cells[];
};

bool
race_lines_new(struct race *r, struct race_shadow *s, uint64_t bytes)
{
    size_t size = (size_t)((bytes + RACE_LINE - 1) / RACE_LINE * sizeof *s->lines);
    void *p = mmap(NULL, size, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    if (p == MAP_FAILED) {
        r->blind = true;
        return false;
    }
    s->lines = p;
    s->mapped_bytes = size;
    return true;
}

void
race_forget(struct race_shadow *s)
{
    struct race_chunk *next;

    for (struct race_chunk *c = s->chunks; c != NULL; c = next) {
        next = c->next;
        *c->total -= c->max * sizeof *c->cells;
        free(c);
    }
    if (s->lines != NULL)
        munmap(s->lines, s->mapped_bytes);
    *s = (struct race_shadow){0};
}

static struct race_cell *
new_cells(struct race *r, struct race_shadow *s, size_t count)
{
    struct race_chunk *c = s->chunks;

    if (c == NULL || c->used + count > c->max) {
        if (r->cell_bytes > MAX_CELL_BYTES)
            return NULL;
        c = malloc(sizeof *c + CHUNK_CELLS * sizeof *c->cells);
        if (c == NULL)
            return NULL;
        *c = (struct race_chunk){
            .next = s->chunks, .max = CHUNK_CELLS, .total = &r->cell_bytes};
        s->chunks = c;
        r->cell_bytes += c->max * sizeof *c->cells;
    }
    c->used += count;
    for (size_t i = c->used - count; i < c->used; i++)
        c->cells[i].parties = NULL;
    return c->cells + c->used - count;
}

struct race_party *
race_party_new(struct race *r, struct race_shadow *s)
{
    enum {
        CELLS = (sizeof(struct race_party) + sizeof(struct race_cell) - 1) /
                sizeof(struct race_cell)
    };
    struct race_party *p = (struct race_party *)(void *)new_cells(r, s, CELLS);

    if (p != NULL)
        p->of = NULL;
    return p;
}

/* Makes of the record of a whole line that of a part. */
static void
set_part(struct race_record *part, const struct race_record *whole, int lane0,
         unsigned log, int offset)
{
    uint64_t lane = (uint64_t)((offset - lane0) >> log & 31);
    uint64_t lanes = (uint64_t)UINT32_MAX, other = (uint64_t)0xff << RACE_OTHER_LANE_AT;

    part->words[0] = whole->words[0];
    if (whole->stamp == 0) {
        part->words[1] = part->words[2] = 0;
        return;
    }
    /* Only records whose lanes lie alike were merged. */
    part->words[1] = (whole->words[1] & ~lanes) | (uint64_t)1 << lane;
    part->words[2] = (whole->words[2] & ~other) | lane << RACE_OTHER_LANE_AT;
}

static void
parties_forget(const struct race_cell *c)
{
    for (struct race_party *p = c->parties; p != NULL; p = p->next)
        p->of = NULL;
}

void
race_make_cells(struct race_line *line, unsigned word)
{
    unsigned step = line->state == RACE_BY_BYTE ? 1 : 4, count = 4 / step;

    line->made |= 1u << word;
    for (unsigned i = word * count; i < (word + 1) * count; i++) {
        int at = (int)(i * step);
        struct race_cell *c = &line->cells[i];

        parties_forget(c);
        if (line->fresh) {
            *c = (struct race_cell){.parties = c->parties};
            continue;
        }
        set_part(&c->w, &line->w, line->lane0_w, line->log_w, at);
        c->w.words[1] &= ~((uint64_t)1 << RACE_SILENT_AT);
        c->w.words[1] |= (uint64_t)(line->silent >> word & 1) << RACE_SILENT_AT;
        set_part(&c->r, &line->r, line->lane0_r, line->log_r, at);
        c->s.words[0] = c->s.words[1] = c->s.words[2] = 0;
    }
}

/* Gives each byte of these words what its word's cell has, but no parties. It goes from
 * the back, because both may be one array. */
static void
cells_by_byte(struct race_cell *cells, const struct race_cell *old, uint32_t made)
{
    for (uint32_t m = made; m != 0; m &= ~(1u << (31 - __builtin_clz(m)))) {
        unsigned word = 31 - (unsigned)__builtin_clz(m);

        for (unsigned i = 4; i-- > 0;) {
            struct race_cell *to = &cells[4 * word + i];
            struct race_party *parties = to->parties;

            *to = old[word];
            to->parties = parties;
        }
    }
    for (unsigned i = 0; i < RACE_LINE; i++)
        parties_forget(&cells[i]);
}

bool
race_expand(struct race *r, struct race_shadow *s, struct race_line *line, bool by_byte)
{
    enum race_state state = by_byte ? RACE_BY_BYTE : RACE_BY_WORD;
    struct race_cell *old = line->cells, *cells = old;

    if (line->state == state || line->state == RACE_BY_BYTE)
        return true;
    if (line->room < state) {
        cells = new_cells(r, s, by_byte ? RACE_LINE : RACE_WORDS);
        if (cells == NULL)
            return false;
        line->room = state;
    }
    if (line->state == RACE_COMPACT)
        line->made = 0;
    if (by_byte)
        cells_by_byte(cells, old, line->made);
    line->cells = cells;
    line->state = state;
    return true;
}
