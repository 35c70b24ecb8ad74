/* Workers on the staff's page: on which node each judges, for which board, and what. */
#ifndef DAEMON_WEB_WORKERS_VIEW_H
#define DAEMON_WEB_WORKERS_VIEW_H

#include "daemon/web/html.h"

#include <cjson/cJSON.h>

/* Writes a table of the answer of GET /api/workers; nothing where there is no worker. */
void workers_view(struct html *h, const cJSON *answer);

/* What a device of GET /api/health does now. */
const char *workers_view_now(const cJSON *device);

#endif
