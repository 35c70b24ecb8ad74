/* Private to ranking*.c and store_preview.c: what is looked for in a ranking's order.
 * Each costs a search, and a look at each block in between where none of its entries can
 * be meant. */
#ifndef RECORD_RANKING_GROUPS_H
#define RECORD_RANKING_GROUPS_H

#include "record/ranking.h"

#include <stdbool.h>

/* The first entry that comes after `e`, or is equal to it where `equal` is set. */
size_t ranking_search(const struct ranking *g, const struct ranked *e, bool equal);

/* Does entry i lead a group? */
bool ranking_leads(const struct ranking *g, size_t i);

/* The leader of entry i's group. */
size_t ranking_leader(const struct ranking *g, size_t i);

/* The first leader from entry i on, or the number of entries where there is none. */
size_t ranking_next_leader(const struct ranking *g, size_t i);

/* The first entry from i on whose low is above a time, or the number of entries. */
size_t ranking_next_above(const struct ranking *g, size_t i, double high_ns);

#endif
