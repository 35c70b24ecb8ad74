/*
 * What is remembered of memory: a line for 128 bytes, and cells where a line's accesses
 * differ. Lines of an allocation lie in one mapping that is committed on use; cells come
 * in chunks that go with it.
 */
#include "race.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* Beyond this lines that would need cells are not watched: no false alarm, and a machine
 * that still runs. */
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
    return c->cells + c->used - count;
}

static struct race_record
record_at(const struct race_record *whole, int lane0, unsigned log, int offset)
{
    struct race_record r = *whole;

    if (r.stamp != 0) { /* merged were only those whose lanes lie alike */
        r.other_lane = (offset - lane0) >> log & 31;
        r.lanes = 1u << r.other_lane;
    }
    return r;
}

bool
race_expand(struct race *r, struct race_shadow *s, struct race_line *line, bool by_byte)
{
    enum race_state state = by_byte ? RACE_BY_BYTE : RACE_BY_WORD;
    unsigned count = by_byte ? RACE_LINE : RACE_WORDS, step = RACE_LINE / count;
    struct race_cell *old = line->cells, *cells = old;

    if (line->state == state || line->state == RACE_BY_BYTE)
        return true;
    if (line->room < state) {
        cells = new_cells(r, s, count);
        if (cells == NULL)
            return false;
        line->room = state;
    }
    if (line->state == RACE_BY_WORD) {
        /* From the back: old and new may be the same array. */
        for (unsigned i = count; i-- > 0;)
            cells[i] = old[i / 4];
    } else if (line->fresh) {
        memset(cells, 0, count * sizeof *cells);
    } else {
        for (unsigned i = 0; i < count; i++) {
            int at = (int)(i * step);

            cells[i].w = record_at(&line->w, line->lane0_w, line->log_w, at);
            cells[i].w.silent = line->silent >> (at / 4) & 1;
            cells[i].r = record_at(&line->r, line->lane0_r, line->log_r, at);
            cells[i].s = (struct race_record){0};
        }
    }
    line->cells = cells;
    line->state = state;
    line->fresh = false;
    return true;
}
