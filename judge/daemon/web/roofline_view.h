/* A submission's roofline: what its kernel reaches, and what the hardware allows. */
#ifndef DAEMON_WEB_ROOFLINE_VIEW_H
#define DAEMON_WEB_ROOFLINE_VIEW_H

#include "daemon/web/values.h"

/* Draws the submission as a point below the roof that binds, and says the same in
 * sentences. The API tells the one limit that binds, so no other roof is drawn. Work
 * without operations, or of which the limit is not known, has no drawing. */
void roofline_view(struct html *h, const cJSON *sub);

#endif
