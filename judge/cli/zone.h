/* Moments in a named time zone, by the tz database of the C library. */
#ifndef CLI_ZONE_H
#define CLI_ZONE_H

#include "base/report.h"
#include "base/wall_clock.h"
#include "cli/format.h"

#include <stdint.h>

/* The zone that is meant where none is named: that of TZ, or of /etc/localtime. The
 * caller frees it. NULL and a report where neither names one. */
char *zone_own(struct report *r);

/* Reads "2026-11-24 09:00", or "2026-11-24" alone, as it is in this zone. A time that no
 * clock shows there, and a zone that the database does not have, are errors. */
int zone_moment(const char *text, const char *zone, enum zone_end end, int64_t *ms,
                struct report *r);

/* Writes a moment as clocks in this zone show it. Where the database does not have the
 * zone, it is in UTC, and says so. */
const char *zone_text(struct text32 *out, double ms, const char *zone);

#endif
