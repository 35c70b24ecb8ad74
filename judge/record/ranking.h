/*
 * The entries of one board in their order, in memory, so that a place costs no pass over
 * the board. rank.h has the definition of groups, places and histogram; what is given
 * here is the same.
 *
 * The entries stand in blocks of at most some hundreds. A change moves entries within one
 * block, and then the numbers of the blocks behind it. Each entry is marked that leads a
 * group. After a change only those groups are made again that lie between its place and
 * the next leader that stays one. At 1,000,000 entries both take microseconds.
 *
 * A ranking is shared by who holds it. A holder keeps what it has seen while the board
 * changes. A change of a ranking that somebody else holds makes another one, which has
 * all blocks in common with it but those that are changed.
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

/* The ranking of these entries, which are put in order. They stay the caller's. */
struct ranking *ranking_of(struct ranked *entry, size_t count);

/* One more holder, and one less. The last one frees it. NULL is allowed. */
struct ranking *ranking_hold(struct ranking *g);
void ranking_release(struct ranking *g);

/* Change a board. *g is replaced by another one where somebody else holds it. An entry
 * that is not there is not removed. */
void ranking_add(struct ranking **g, const struct ranked *e);
void ranking_remove(struct ranking **g, const struct ranked *e);

/* A number that changes with each change of the board, and that no other ranking of this
 * process has. */
uint64_t ranking_version(const struct ranking *g);

size_t ranking_count(const struct ranking *g);

/* Entry i, which stays where it is until the ranking is changed or released. */
const struct ranked *ranking_entry(const struct ranking *g, size_t i);

/* The number of the first entry that stands behind `e`, which need not be there. */
size_t ranking_behind(const struct ranking *g, const struct ranked *e);

/* The place of entry i. */
struct place ranking_place_of(const struct ranking *g, size_t i);

/* The place that `one` would have among the entries without `own`, which may be NULL. */
struct place ranking_place(const struct ranking *g, const struct measured *one,
                           const struct ranked *own);

/* histogram() of all times. */
int ranking_histogram(const struct ranking *g, struct bucket out[HISTOGRAM_BUCKETS_MAX]);

#endif
