/* The distribution of a board's times, as a drawing. */
#ifndef DAEMON_WEB_HISTOGRAM_H
#define DAEMON_WEB_HISTOGRAM_H

#include "daemon/web/values.h"

/* Draws the board's histogram with a mark at one's own time (NaN: there is none), at the
 * baselines and at the house's steps. A board without a histogram has no drawing. */
void histogram_draw(struct html *h, const cJSON *board, double own_ns);

#endif
