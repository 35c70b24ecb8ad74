/* What went wrong with a submission, and how its tests ended. */
#ifndef DAEMON_WEB_FAILURE_VIEW_H
#define DAEMON_WEB_FAILURE_VIEW_H

#include "daemon/web/values.h"

/* Writes the message, with links to the lines that it is about, and the first wrong
 * element. `source`: the page shows the source (source_view.h), to which links lead. */
void failure_view(struct html *h, const cJSON *sub, bool source);

/* Writes a list of the tests. */
void tests_view(struct html *h, const cJSON *sub);

#endif
