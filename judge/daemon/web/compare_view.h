/* What two submissions to one problem differ in: their figures and their sources. */
#ifndef DAEMON_WEB_COMPARE_VIEW_H
#define DAEMON_WEB_COMPARE_VIEW_H

#include "daemon/web/values.h"

struct compared {
    const cJSON *before, *after; /* as the API tells submissions */
    /* {"filename", "source"}; NULL: it is not for who asks. */
    const cJSON *before_source, *after_source;
    const char *counter; /* what stands beside lines, such as "ns"; NULL: the time */
};

/* Writes times, places and counters of one call, with the factor of each change. */
void compare_figures(struct html *h, const struct compared *c);

/* Writes the difference of the sources, with what each line costs in one call. */
void compare_source(struct html *h, const struct compared *c);

#endif
