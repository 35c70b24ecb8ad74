/* How fast a GPU was, day by day, against what is usual for it. */
#ifndef DAEMON_WEB_CALIBRATION_VIEW_H
#define DAEMON_WEB_CALIBRATION_VIEW_H

#include "daemon/web/values.h"

/* Draws each figure of a GPU of the API's calibrations, and has its days in a table.
 * `number` keeps the ids of the elements apart. */
void calibration_view(struct html *h, const cJSON *gpu, int number);

#endif
