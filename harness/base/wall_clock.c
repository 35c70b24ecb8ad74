#include "base/wall_clock.h"

#include "base/buf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ZONE_CHARACTERS                                                                  \
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_+-/"
#define HALF_HOUR_S 1800

/* --- zones --------------------------------------------------------------- */

bool
wall_zone_is_known(const char *zone)
{
    const char *folder = getenv("TZDIR");
    char magic[4] = "", *path;
    bool known;
    FILE *file;

    if (zone[0] == '\0' || zone[0] == '/' || zone[strspn(zone, ZONE_CHARACTERS)] != '\0')
        return false;
    path = xasprintf(
        "%s/%s", folder != NULL && folder[0] != '\0' ? folder : WALL_ZONE_FOLDER, zone);
    file = fopen(path, "rb");
    known = file != NULL && fread(magic, 1, sizeof magic, file) == sizeof magic &&
            memcmp(magic, "TZif", sizeof magic) == 0; /* RFC 9636, section 3.1 */
    if (file != NULL)
        fclose(file);
    free(path);
    return known;
}

char *
wall_zone_enter(const char *zone)
{
    const char *old = getenv("TZ");
    char *before = old != NULL ? xstrdup(old) : NULL;
    char *name = xasprintf(":%s", zone);

    setenv("TZ", name, 1);
    tzset();
    free(name);
    return before;
}

void
wall_zone_leave(char *before)
{
    if (before != NULL)
        setenv("TZ", before, 1);
    else
        unsetenv("TZ");
    tzset();
    free(before);
}

/* --- clocks -------------------------------------------------------------- */

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

bool
wall_read(const char *text, enum zone_end end, struct tm *out)
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

static bool
same_clock(const struct tm *a, const struct tm *b)
{
    return a->tm_year == b->tm_year && a->tm_mon == b->tm_mon &&
           a->tm_mday == b->tm_mday && a->tm_hour == b->tm_hour && a->tm_min == b->tm_min;
}

enum wall_shown
wall_moment(const struct tm *shown, enum zone_end end, time_t *out)
{
    enum wall_shown result = WALL_ONCE;
    struct tm asked = *shown, back;
    time_t first, found;

    asked.tm_isdst = -1;
    first = found = mktime(&asked);
    if (localtime_r(&first, &back) == NULL || !same_clock(&back, shown))
        return WALL_NEVER;
    for (int step = -2; step <= 2; step++) {
        const time_t other = first + (time_t)step * HALF_HOUR_S;

        if (step == 0 || localtime_r(&other, &back) == NULL || !same_clock(&back, shown))
            continue;
        result = WALL_TWICE;
        if (end == ZONE_BEGIN ? other < found : other > found)
            found = other;
    }
    *out = found;
    return result;
}
