/*
 * The entries of one board in their order, in memory, so that a place costs no pass over
 * the board. rank.h has the definition of groups and places; ranking_place() gives what
 * place_among() gives there.
 *
 * A ranking is shared by who holds it. A holder keeps what it has seen while the board
 * changes, because a change is made to a copy where there is another holder.
 */
#ifndef RECORD_RANKING_H
#define RECORD_RANKING_H

#include "record/rank.h"

#include <stddef.h>
#include <stdint.h>

/* An entry: its time, and the submission that set it. */
struct ranked {
    struct measured time;
    int64_t submission;
};

struct ranking;

struct ranking *ranking_new(void);

/* One more holder, and one less. The last one frees it. NULL is allowed. */
struct ranking *ranking_hold(struct ranking *g);
void ranking_release(struct ranking *g);

/* Change a board. *g is replaced by a copy where somebody else holds it. Entries that are
 * added in their order cost nothing but memory; another place costs a move of what is
 * behind it. An entry that is not there is not removed. */
void ranking_add(struct ranking **g, const struct ranked *e);
void ranking_remove(struct ranking **g, const struct ranked *e);

/* A number that changes with each change of the board, and that no other ranking of this
 * process has. */
uint64_t ranking_version(const struct ranking *g);

size_t ranking_count(const struct ranking *g);
const struct ranked *ranking_entry(const struct ranking *g, size_t i);

/* The number of the first entry that stands behind `e`, which need not be there. */
size_t ranking_behind(const struct ranking *g, const struct ranked *e);

/* The place of entry i. */
struct place ranking_place_of(struct ranking *g, size_t i);

/* The place that `one` would have among the entries without `own`, which may be NULL. */
struct place ranking_place(struct ranking *g, const struct measured *one,
                           const struct ranked *own);

#endif
