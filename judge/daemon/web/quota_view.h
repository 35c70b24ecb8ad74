/* How much of the quotas somebody has used. */
#ifndef DAEMON_WEB_QUOTA_VIEW_H
#define DAEMON_WEB_QUOTA_VIEW_H

#include "daemon/web/values.h"

/* Writes the quotas of the API's `quota`, which is not NULL. */
void quota_view(struct html *h, const cJSON *quota);

#endif
