#include "cli/calendar.h"

#include "base/buf.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#define DAY_S 86400
#define LABEL 5 /* columns of "Mon  " */
#define MONTH_LETTERS 3
#define WEEKS_MOST 60

static const char *const DAYS[] = {"Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"};

/* The month of a day, from 0 on. */
static int
month_of(time_t day)
{
    struct tm tm = {0};

    gmtime_r(&day, &tm);
    return tm.tm_mon;
}

/* When a day begins in UTC, of which the year, the month and the day of the month are
 * set. It is from after 1970. POSIX has no timegm(). */
static time_t
day_start(const struct tm *day)
{
    /* The year begins in March here, so that a leap day is its last. */
    const int month = (day->tm_mon + 10) % 12;
    const int year = day->tm_year + 1900 - (month >= 10);
    const int days = year * 365 + year / 4 - year / 100 + year / 400 +
                     (month * 153 + 2) / 5 + day->tm_mday - 1;

    return (time_t)(days - 719468) * DAY_S; /* which is 1970-01-01 */
}

/* Prints the names of months above the weeks in which they begin. One has no name where
 * the name before it takes the place. */
static void
print_months(const struct terminal *t, time_t first, int weeks)
{
    static const char *const MONTHS[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                         "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    char line[WEEKS_MOST];
    int free_from = 0, len = 0;

    memset(line, ' ', sizeof line);
    for (int week = 0; week + MONTH_LETTERS <= weeks; week++) {
        const time_t monday = first + (time_t)week * 7 * DAY_S;
        const int month = month_of(monday + 6 * DAY_S);

        if (month == month_of(monday - DAY_S) || week < free_from)
            continue;
        memcpy(line + week, MONTHS[month], MONTH_LETTERS);
        len = week + MONTH_LETTERS;
        free_from = len + 1;
    }
    terminal_print(t, STYLE_DIM, "%*s%.*s\n", LABEL, "", len, line);
}

/* A letter for each day: a digit for its count, a plus for more than 9, a dot for none.
 * The caller frees. */
static char *
day_letters(const cJSON *counts)
{
    struct buf letters = {0};
    const cJSON *item;

    cJSON_ArrayForEach(item, counts)
    {
        const double count = cJSON_IsNumber(item) ? item->valuedouble : 0;
        const char letter = count < 1 ? '.' : count > 9 ? '+' : (char)('0' + (int)count);

        buf_add(&letters, &letter, 1);
    }
    return buf_take(&letters);
}

static void
print_weekday(const struct terminal *t, const char *letters, int days, int first_week,
              int weekday)
{
    struct buf line = {0};

    for (int day = first_week * 7 + weekday; day < days; day += 7)
        buf_add(&line, &letters[day], 1);
    terminal_print(t, STYLE_DIM, "%-*s", LABEL, DAYS[weekday]);
    terminal_print(t, STYLE_PLAIN, "%s\n", buf_str(&line));
    buf_free(&line);
}

void
calendar_print(const struct terminal *t, const char *from, const cJSON *counts)
{
    const int days = cJSON_GetArraySize(counts), all = (days + 6) / 7;
    int weeks = t->width - LABEL;
    struct tm tm = {0};
    char *letters;

    if (strptime(from, "%Y-%m-%d", &tm) == NULL || days == 0)
        return;
    weeks = weeks < WEEKS_MOST ? weeks : WEEKS_MOST;
    weeks = weeks < all ? weeks : all;
    letters = day_letters(counts);
    terminal_print(t, STYLE_BOLD, "\naccepted submissions by day\n");
    print_months(t, day_start(&tm) + (time_t)(all - weeks) * 7 * DAY_S, weeks);
    for (int weekday = 0; weekday < 7; weekday++)
        print_weekday(t, letters, days, all - weeks, weekday);
    terminal_print(t, STYLE_DIM, "(+ is more than 9; days are UTC's)\n");
    free(letters);
}
