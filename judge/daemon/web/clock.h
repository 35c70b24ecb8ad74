/*
 * Moments on pages, as clocks show them in the judge's time zone: that of `serve --zone`,
 * or else UTC. Each is shown with the zone's abbreviation, such as CET and CEST, so that
 * it is clear on both sides of a change of the clocks.
 */
#ifndef DAEMON_WEB_CLOCK_H
#define DAEMON_WEB_CLOCK_H

#include "base/report.h"
#include "base/wall_clock.h"

#include <stddef.h>
#include <stdint.h>

/* Makes this the judge's zone, and that of its log and its children. It is called before
 * threads begin. The name is known to the tz database, and lives as long as the process.
 */
void clock_begin(const char *zone);

/* The zone's name, for people. */
const char *clock_zone(void);

#define CLOCK_BYTES 48

/* Writes "2026-11-24 09:00 CET"; of what is no moment "". */
void clock_text(char out[CLOCK_BYTES], double ms);

/* Writes "2026-11-24T08:00:00Z", which a program reads. */
void clock_machine_text(char out[CLOCK_BYTES], double ms);

/* Writes "2026-11-24T09:00", as the field of a form has it. */
void clock_field_text(char out[CLOCK_BYTES], double ms);

/* Reads "2026-11-24T09:00", as a form has it, in the judge's zone. A time that no clock
 * shows there, or that it shows twice, is an error with a sentence, as is any other text.
 */
int clock_moment(const char *text, int64_t *ms, struct report *r);

#endif
