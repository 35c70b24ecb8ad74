#include "cli/zone.h"

#include "base/buf.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define ZONE_FOLDER "/usr/share/zoneinfo"
#define ZONE_CHARACTERS                                                                  \
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_+-/"
#define HALF_HOUR_S 1800

/* --- zones --------------------------------------------------------------- */

/* Has the database a zone of this name? The C library takes an unknown one for UTC. */
static bool
zone_is_known(const char *zone)
{
    const char *folder = getenv("TZDIR");
    char magic[4] = "", *path;
    bool known;
    FILE *file;

    if (zone[0] == '\0' || zone[0] == '/' || zone[strspn(zone, ZONE_CHARACTERS)] != '\0')
        return false;
    path = xasprintf("%s/%s", folder != NULL && folder[0] != '\0' ? folder : ZONE_FOLDER,
                     zone);
    file = fopen(path, "rb");
    known = file != NULL && fread(magic, 1, sizeof magic, file) == sizeof magic &&
            memcmp(magic, "TZif", sizeof magic) == 0; /* RFC 9636, section 3.1 */
    if (file != NULL)
        fclose(file);
    free(path);
    return known;
}

/* Makes this the zone of the C library. Returns the TZ of before, for zone_leave(). */
static char *
zone_enter(const char *zone)
{
    const char *old = getenv("TZ");
    char *before = old != NULL ? xstrdup(old) : NULL;
    char *name = xasprintf(":%s", zone);

    setenv("TZ", name, 1);
    tzset();
    free(name);
    return before;
}

static void
zone_leave(char *before)
{
    if (before != NULL)
        setenv("TZ", before, 1);
    else
        unsetenv("TZ");
    tzset();
    free(before);
}

char *
zone_own(struct report *r)
{
    const char *tz = getenv("TZ"), *at;
    char link[512] = "";

    if (tz != NULL && tz[0] == ':')
        tz++;
    if (tz != NULL && zone_is_known(tz))
        return xstrdup(tz);
    if (readlink("/etc/localtime", link, sizeof link - 1) > 0) {
        at = strstr(link, "zoneinfo/");
        if (at != NULL && zone_is_known(at + strlen("zoneinfo/")))
            return xstrdup(at + strlen("zoneinfo/"));
    }
    report_fail(r, "this machine does not say in which time zone it is: name one, as in "
                   "--zone Europe/Berlin");
    return NULL;
}

/* --- moments ------------------------------------------------------------- */

static bool
same_clock(const struct tm *a, const struct tm *b)
{
    return a->tm_year == b->tm_year && a->tm_mon == b->tm_mon &&
           a->tm_mday == b->tm_mday && a->tm_hour == b->tm_hour && a->tm_min == b->tm_min;
}

/* Finds the moment at which clocks show this. An hour may be shown twice, half an hour or
 * an hour apart; then `end` decides. False where clocks never show it. */
static bool
clock_moment(const struct tm *shown, enum zone_end end, time_t *out)
{
    struct tm asked = *shown, back;
    time_t found;

    asked.tm_isdst = -1;
    found = mktime(&asked);
    if (localtime_r(&found, &back) == NULL || !same_clock(&back, shown))
        return false;
    for (int step = -2; step <= 2; step++) {
        const time_t other = found + (time_t)step * HALF_HOUR_S;

        if (localtime_r(&other, &back) != NULL && same_clock(&back, shown) &&
            (end == ZONE_BEGIN ? other < found : other > found))
            found = other;
    }
    *out = found;
    return true;
}

/* Reads this many digits, and the sign behind them where `after` is not 0. False where
 * the text has something else. */
static bool
read_digits(const char **text, int count, char after, int *out)
{
    int value = 0;

    for (int i = 0; i < count; i++, ++*text) {
        if (**text < '0' || **text > '9')
            return false;
        value = value * 10 + (**text - '0');
    }
    if (after != '\0' && *(*text)++ != after)
        return false;
    *out = value;
    return true;
}

/* Reads a date, and a time if it is there. */
static bool
read_clock(const char *text, enum zone_end end, struct tm *out)
{
    int year, month, day;
    int hour = end == ZONE_BEGIN ? 0 : 23, minute = end == ZONE_BEGIN ? 0 : 59;

    if (!read_digits(&text, 4, '-', &year) || !read_digits(&text, 2, '-', &month) ||
        !read_digits(&text, 2, '\0', &day))
        return false;
    if (*text != '\0' &&
        ((*text != ' ' && *text != 'T') || (text++, !read_digits(&text, 2, ':', &hour)) ||
         !read_digits(&text, 2, '\0', &minute) || *text != '\0'))
        return false;
    *out = (struct tm){.tm_year = year - 1900,
                       .tm_mon = month - 1,
                       .tm_mday = day,
                       .tm_hour = hour,
                       .tm_min = minute};
    return year >= 1970 && month >= 1 && month <= 12 && day >= 1 && day <= 31 &&
           hour <= 23 && minute <= 59;
}

int
zone_moment(const char *text, const char *zone, enum zone_end end, int64_t *ms,
            struct report *r)
{
    struct tm shown;
    time_t found = 0;
    bool there;
    char *before;

    if (!zone_is_known(zone))
        return report_fail(r,
                           "there is no time zone \"%.80s\" in " ZONE_FOLDER
                           ": it is a name such as Europe/Berlin, of the package tzdata",
                           zone);
    if (!read_clock(text, end, &shown))
        return report_fail(r,
                           "\"%.80s\" is no time: write it as 2026-11-24 09:00, or the "
                           "day alone",
                           text);
    before = zone_enter(zone);
    there = clock_moment(&shown, end, &found);
    zone_leave(before);
    if (!there)
        return report_fail(r, "no clock in %s shows %s", zone, text);
    *ms = (int64_t)found * 1000;
    return 0;
}

const char *
zone_text(struct text32 *out, double ms, const char *zone)
{
    const bool known = zone_is_known(zone);
    const time_t seconds = (time_t)(ms / 1000);
    char *before = zone_enter(known ? zone : "UTC");
    struct tm tm;

    out->s[0] = '\0';
    if (ms >= 0 && ms < 1e15 && localtime_r(&seconds, &tm) != NULL)
        strftime(out->s, sizeof out->s, known ? "%Y-%m-%d %H:%M" : "%Y-%m-%d %H:%M UTC",
                 &tm);
    zone_leave(before);
    return out->s;
}
