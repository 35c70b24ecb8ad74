#include "daemon/web/clock.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* NULL: UTC. Then the C library's zone is the machine's, and is not asked. */
static const char *clock_name;

#define YEAR_LAST 8000 /* so that milliseconds are whole numbers of JSON */

void
clock_begin(const char *zone)
{
    clock_name = zone;
    free(wall_zone_enter(zone));
}

const char *
clock_zone(void)
{
    return clock_name != NULL ? clock_name : "UTC";
}

static bool
clock_take(double ms, time_t *out)
{
    if (!(ms >= 0 && ms < 1e15))
        return false;
    *out = (time_t)(ms / 1000);
    return true;
}

/* What clocks in the judge's zone show. False of what is no moment. */
static bool
clock_show(double ms, struct tm *out)
{
    time_t moment;

    if (!clock_take(ms, &moment))
        return false;
    return (clock_name != NULL ? localtime_r(&moment, out) : gmtime_r(&moment, out)) !=
           NULL;
}

void
clock_text(char out[CLOCK_BYTES], double ms)
{
    struct tm tm;

    out[0] = '\0';
    if (!clock_show(ms, &tm))
        return;
    if (clock_name != NULL)
        strftime(out, CLOCK_BYTES, "%Y-%m-%d %H:%M %Z", &tm);
    else
        strftime(out, CLOCK_BYTES, "%Y-%m-%d %H:%M UTC", &tm);
}

void
clock_field_text(char out[CLOCK_BYTES], double ms)
{
    struct tm tm;

    out[0] = '\0';
    if (clock_show(ms, &tm))
        strftime(out, CLOCK_BYTES, "%Y-%m-%dT%H:%M", &tm);
}

void
clock_machine_text(char out[CLOCK_BYTES], double ms)
{
    time_t moment;
    struct tm tm;

    out[0] = '\0';
    if (clock_take(ms, &moment) && gmtime_r(&moment, &tm) != NULL)
        strftime(out, CLOCK_BYTES, "%Y-%m-%dT%H:%M:%SZ", &tm);
}

/* In UTC only a day that no month has is never shown: it makes March 3 of February 31. */
static enum wall_shown
clock_moment_utc(const struct tm *shown, time_t *out)
{
    struct tm asked = *shown;

    *out = timegm(&asked);
    return asked.tm_mday == shown->tm_mday ? WALL_ONCE : WALL_NEVER;
}

int
clock_moment(const char *text, int64_t *ms, struct report *r)
{
    struct tm shown;
    enum wall_shown how;
    time_t found = 0;

    if (strchr(text, 'T') == NULL || !wall_read(text, ZONE_BEGIN, &shown) ||
        shown.tm_year + 1900 > YEAR_LAST)
        return report_fail(r, "\"%.40s\" is no moment, such as 2026-11-24T09:00", text);
    how = clock_name != NULL ? wall_moment(&shown, ZONE_BEGIN, &found)
                             : clock_moment_utc(&shown, &found);
    if (how == WALL_NEVER)
        return report_fail(r,
                           "no clock in %s shows %.40s: there is no such day, or the "
                           "clocks are put forward then",
                           clock_zone(), text);
    if (how == WALL_TWICE)
        return report_fail(r,
                           "clocks in %s show %.40s twice, because they are put back "
                           "then: take a time that they show once",
                           clock_zone(), text);
    *ms = (int64_t)found * 1000;
    return 0;
}
