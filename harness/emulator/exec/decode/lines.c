/*
 * The source line for which an instruction counts, while a kernel is decoded.
 *
 * The line is one of the user's code. What was inlined from a header of the toolkit
 * counts for the innermost place outside it (user_loc() in source.c). So the costs of a
 * line are all that it causes. A function of the user's that was inlined keeps its own
 * lines, as if it were called.
 *
 * Kernels of CUB's and Thrust's own have no line of the user's. They keep the header's.
 */
#include "../source.h"
#include "decoder.h"

#include <stdlib.h>

enum {
    LINES_MAX = 4096,     /* of one kernel; all other lines count as line 0 */
    LINE_TABLE = 1 << 13, /* a power of two above LINES_MAX */
    SHARES_SEEN = 8,      /* so many of the last shares are searched for one that fits */
};

/* The list, or one twice as long in its place where count elements of size bytes fill it.
 * NULL: the host has no memory, and the list is as it was. */
static void *
grow(struct decoder *d, void *list, uint32_t count, uint32_t *max, size_t size)
{
    uint32_t grown_max = *max != 0 ? *max * 2 : 64;
    void *grown;

    if (count < *max)
        return list;
    grown = realloc(list, grown_max * size);
    if (grown == NULL)
        d->no_memory = true;
    else
        *max = grown_max;
    return grown;
}

static bool
lines_begin(struct decoder *d)
{
    struct kernel *k = d->kernel;

    k->lines = grow(d, k->lines, 0, &k->line_max, sizeof *k->lines);
    k->line_table = calloc(LINE_TABLE, sizeof *k->line_table);
    if (k->lines == NULL || k->line_table == NULL) {
        d->no_memory = true;
        return false;
    }
    k->lines[0] = (struct source_line){0};
    k->line_count = 1;
    return true;
}

/* The index of a line in the kernel's table, to which new lines are added; 0: no room. */
static uint32_t
line_index(struct decoder *d, struct source_line line)
{
    struct kernel *k = d->kernel;
    uint32_t at = (line.line * 0x9e3779b1u + line.file) % LINE_TABLE;
    struct source_line *lines;

    if ((k->line_table == NULL && !lines_begin(d)) || line.line == 0)
        return 0;
    for (; k->line_table[at] != 0; at = (at + 1) % LINE_TABLE) {
        const struct source_line *seen = &k->lines[k->line_table[at]];

        if (seen->file == line.file && seen->line == line.line)
            return k->line_table[at];
    }
    if (k->line_count == LINES_MAX)
        return 0;
    lines = grow(d, k->lines, k->line_count, &k->line_max, sizeof *k->lines);
    if (lines == NULL)
        return 0;
    k->lines = lines;
    k->line_table[at] = (uint16_t)k->line_count;
    k->lines[k->line_count] = line;
    return k->line_count++;
}

/* The place of the user's. A function of a header's that was not inlined counts for the
 * place that calls it, if there is only one. */
static const struct ptx_loc *
line_place(const struct decoder *d, const struct ptx_loc *loc)
{
    const struct ptx_module *m = d->kernel->module->ptx;
    const struct ptx_loc *place = user_loc(m, loc);

    if (d->program->caller != NULL && !d->program->called_elsewhere &&
        (place == NULL || is_system_file(m->files[place->file])))
        return d->program->caller;
    return place;
}

void
line_note_call(struct decoder *d, struct program *callee)
{
    const struct ptx_loc *place = line_place(d, d->current->loc);

    if (place == NULL || callee == NULL || callee == d->program ||
        is_system_file(d->kernel->module->ptx->files[place->file]))
        return;
    if (callee->caller == NULL)
        callee->caller = place;
    callee->called_elsewhere |=
        callee->caller->file != place->file || callee->caller->line != place->line;
}

uint32_t
line_of(struct decoder *d)
{
    const struct ptx_loc *loc = d->current != NULL ? d->current->loc : NULL;
    const struct ptx_loc *place;

    if (loc != d->line_loc || d->kernel->line_count == 0) {
        place = line_place(d, loc);
        d->line =
            line_index(d, place != NULL ? (struct source_line){place->file, place->line}
                                        : (struct source_line){0});
        d->line_loc = loc;
    }
    return d->line;
}

uint32_t
site_new(struct decoder *d)
{
    struct kernel *k = d->kernel;
    struct site *slots = grow(d, k->slots, k->slot_count, &k->slot_max, sizeof *k->slots);

    if (slots == NULL)
        return 0;
    k->slots = slots;
    k->slots[k->slot_count] = (struct site){.line = line_of(d), .wavefronts = 1};
    return k->slot_count++;
}

void
site_wavefronts(struct decoder *d, uint32_t slot, uint32_t wavefronts)
{
    if (!d->no_memory)
        d->kernel->slots[slot].wavefronts = (uint8_t)wavefronts;
}

void
site_no_wait(struct decoder *d, uint32_t slot)
{
    if (!d->no_memory)
        d->kernel->slots[slot].no_wait = true;
}

void
site_past_l1(struct decoder *d, uint32_t slot)
{
    if (!d->no_memory)
        d->kernel->slots[slot].past_l1 = true;
}

struct share *
share_at(struct decoder *d, uint32_t tally, uint32_t line)
{
    static struct share nowhere; /* decoding has failed; nobody counts with this */
    struct kernel *k = d->kernel;
    struct share *shares;

    for (uint32_t i = 1; i <= SHARES_SEEN && i <= k->share_count; i++) {
        struct share *s = &k->shares[k->share_count - i];

        if (s->tally == tally && s->line == line)
            return s;
    }
    shares = grow(d, k->shares, k->share_count, &k->share_max, sizeof *k->shares);
    if (shares == NULL) {
        nowhere = (struct share){0};
        return &nowhere;
    }
    k->shares = shares;
    k->shares[k->share_count] = (struct share){.tally = tally, .line = line};
    return &k->shares[k->share_count++];
}

struct share *
share_of(struct decoder *d, uint32_t tally)
{
    return share_at(d, tally, line_of(d));
}
