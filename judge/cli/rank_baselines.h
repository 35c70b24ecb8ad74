/* Baselines on a board: what others took for the same work, measured elsewhere. Private
 * to rank*.c. */
#ifndef CLI_RANK_BASELINES_H
#define CLI_RANK_BASELINES_H

#include "cli/table.h"

#include <cjson/cJSON.h>

/* Adds rows for the baselines from *next on that are faster than `time_ns`, and moves
 * *next behind them. The table's columns are those of a board: rank, user, time, ... */
void rank_baseline_rows(struct table *table, const cJSON **next, double time_ns,
                        bool utf8);

/* Says what each of the board's baselines is. */
void rank_print_baselines(const struct terminal *t, const cJSON *board);

#endif
