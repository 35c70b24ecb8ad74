#include "cli/zone.h"

#include "base/buf.h"
#include "base/wall_clock.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

char *
zone_own(struct report *r)
{
    const char *tz = getenv("TZ"), *at;
    char link[512] = "";

    if (tz != NULL && tz[0] == ':')
        tz++;
    if (tz != NULL && wall_zone_is_known(tz))
        return xstrdup(tz);
    if (readlink("/etc/localtime", link, sizeof link - 1) > 0) {
        at = strstr(link, "zoneinfo/");
        if (at != NULL && wall_zone_is_known(at + strlen("zoneinfo/")))
            return xstrdup(at + strlen("zoneinfo/"));
    }
    report_fail(r, "this machine does not say in which time zone it is: name one, as in "
                   "--zone Europe/Berlin");
    return NULL;
}

int
zone_moment(const char *text, const char *zone, enum zone_end end, int64_t *ms,
            struct report *r)
{
    struct tm shown;
    time_t found = 0;
    bool there;
    char *before;

    if (!wall_zone_is_known(zone))
        return report_fail(r,
                           "there is no time zone \"%.80s\" in " WALL_ZONE_FOLDER
                           ": it is a name such as Europe/Berlin, of the package tzdata",
                           zone);
    if (!wall_read(text, end, &shown))
        return report_fail(r,
                           "\"%.80s\" is no time: write it as 2026-11-24 09:00, or the "
                           "day alone",
                           text);
    before = wall_zone_enter(zone);
    there = wall_moment(&shown, end, &found) != WALL_NEVER;
    wall_zone_leave(before);
    if (!there)
        return report_fail(r, "no clock in %s shows %s", zone, text);
    *ms = (int64_t)found * 1000;
    return 0;
}

const char *
zone_text(struct text32 *out, double ms, const char *zone)
{
    const bool known = wall_zone_is_known(zone);
    const time_t seconds = (time_t)(ms / 1000);
    char *before = wall_zone_enter(known ? zone : "UTC");
    struct tm tm;

    out->s[0] = '\0';
    if (ms >= 0 && ms < 1e15 && localtime_r(&seconds, &tm) != NULL)
        strftime(out->s, sizeof out->s, known ? "%Y-%m-%d %H:%M" : "%Y-%m-%d %H:%M UTC",
                 &tm);
    wall_zone_leave(before);
    return out->s;
}
