/*
 * What clocks on the wall show in a time zone, by the tz database of the C library. The
 * library has one zone at a time, which is that of the environment's TZ. A process with
 * threads sets it before they begin.
 */
#ifndef BASE_WALL_CLOCK_H
#define BASE_WALL_CLOCK_H

#include <stdbool.h>
#include <time.h>

#define WALL_ZONE_FOLDER "/usr/share/zoneinfo" /* where TZDIR names no other */

/* Which end of a day, or of an hour that a clock shows twice, is meant. */
enum zone_end { ZONE_BEGIN, ZONE_END };

/* Has the database a zone of this name? The C library takes an unknown one for UTC. */
bool wall_zone_is_known(const char *zone);

/* Makes this the zone of the C library. Returns the TZ of before, for wall_zone_leave(),
 * which frees it. */
char *wall_zone_enter(const char *zone);
void wall_zone_leave(char *before);

/* Reads "2026-11-24 09:00", with a T for the space, or the day alone, of which `end` is
 * meant. False where the text is something else. */
bool wall_read(const char *text, enum zone_end end, struct tm *out);

/* Finds the moment at which clocks in the library's zone show this. An hour may be shown
 * twice, half an hour or an hour apart; then `end` decides. */
enum wall_shown { WALL_NEVER, WALL_ONCE, WALL_TWICE };
enum wall_shown wall_moment(const struct tm *shown, enum zone_end end, time_t *out);

#endif
