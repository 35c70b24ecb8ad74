/* The grid around the first wrong element of a wrong answer, and the heat map of the
 * matrix that it is in (record/failure_grid.h). */
#ifndef DAEMON_WEB_GRID_VIEW_H
#define DAEMON_WEB_GRID_VIEW_H

#include "daemon/web/values.h"

/* Writes a section with what the failure tells of both, if it tells any. */
void grid_view(struct html *h, const cJSON *failure);

/* Writes a value of an output, which is a number or a text, with so many digits. */
void grid_value(struct html *h, const cJSON *value, int digits);

#endif
