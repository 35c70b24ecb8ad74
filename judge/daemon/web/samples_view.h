/* The distribution of a submission's samples: its timed calls. */
#ifndef DAEMON_WEB_SAMPLES_VIEW_H
#define DAEMON_WEB_SAMPLES_VIEW_H

#include "daemon/web/values.h"

/* Draws how many samples took how long, with the median and its interval, and says the
 * same in sentences. Samples that are all equal, as the model's are, have no drawing. */
void samples_view(struct html *h, const cJSON *sub);

#endif
