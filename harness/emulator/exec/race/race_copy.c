/*
 * Asynchronous copies to shared memory (cp.async) that are under way.
 *
 * A copy writes beside the thread that begins it (PTX ISA, "Asynchronous copy"). Nothing
 * orders it before what the thread does next, until the thread waits for it or hands it
 * to an mbarrier. So all earlier accesses to its bytes must be ordered before its
 * beginning. An access between beginning and end makes a race. That holds for the thread
 * itself, too, and whatever barriers stand between.
 */
#include "race_order.h"

#include <stdlib.h>
#include <string.h>

void
race_copies_reset(struct race_block *rb)
{
    if (rb->copying != 0)
        memset(rb->copied, 0, rb->copied_words * sizeof *rb->copied);
    rb->copying = 0;
}

/* false: the host has no memory. */
static bool
copies_room(struct race_block *rb, uint32_t shared_bytes)
{
    uint32_t words = (shared_bytes + 3) / 4;
    struct race_copier *copied;

    if (rb->copied_words >= words)
        return true;
    copied = calloc(words, sizeof *copied);
    if (copied == NULL)
        return false;
    free(rb->copied);
    rb->copied = copied;
    rb->copied_words = words;
    rb->copying = 0;
    return true;
}

/* A copy is of 4, 8 or 16 bytes, and aligned to them. */
static void
copies_mark(const struct warp *w, const struct race_request *q, bool begins)
{
    struct race_block *rb = w->block->race;

    for (uint32_t m = w->mask; m != 0; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctz(m);

        for (uint64_t at = 0; at < q->bytes; at += 4) {
            uint64_t word = (q->ea[lane] + at) / 4;

            if (word >= rb->copied_words)
                continue;
            rb->copying -= rb->copied[word].is_copying;
            rb->copying += begins;
            rb->copied[word] = (struct race_copier){(uint16_t)q->slot, (uint8_t)w->index,
                                                    (uint8_t)(lane & 31), begins};
        }
    }
}

void
race_copy_begin(struct warp *w, const struct insn *in, const struct race_request *q)
{
    struct race_block *rb = w->block->race;

    if (rb->race->blind || !copies_room(rb, w->block->shared_bytes))
        return;
    race_access(w, in, q);
    copies_mark(w, q, true);
}

void
race_copy_end(struct warp *w, const struct insn *in, const struct race_request *q)
{
    copies_mark(w, q, false);
    race_access(w, in, q);
}

/* The first word of these bytes that is being copied; UINT64_MAX: there is none. */
static uint64_t
copied_word(const struct race_block *rb, uint64_t offset, uint64_t bytes)
{
    for (uint64_t i = offset / 4; i < rb->copied_words && 4 * i < offset + bytes; i++)
        if (rb->copied[i].is_copying)
            return i;
    return UINT64_MAX;
}

bool
race_is_copied(const struct race_block *rb, uint64_t offset, uint64_t bytes)
{
    return copied_word(rb, offset, bytes) != UINT64_MAX;
}

void
race_check_copies(const struct racer *a, uint32_t mask)
{
    for (; mask != 0; mask &= mask - 1) {
        unsigned lane = (unsigned)__builtin_ctz(mask);
        uint64_t at = a->q->ea[lane], word = copied_word(a->rb, at, a->q->bytes);

        if (word != UINT64_MAX) {
            const struct race_copier *c = &a->rb->copied[word];
            const struct race_record r = {.block = a->block,
                                          .scope = RACE_WARP,
                                          .warp = c->warp,
                                          .lanes = 1u << c->lane,
                                          .slot = c->slot};
            const struct race_event e = {.other = &r,
                                         .other_writes = true,
                                         .is_copying = true,
                                         .lanes = 1u << lane,
                                         .address = 4 * word > at ? 4 * word : at};

            race_report(a->w, a->in, a->q, &e);
        }
    }
}
