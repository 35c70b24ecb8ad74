/* Turns numbers, times, dates and shares into text. */
#include "cli/format.h"

#include <math.h>
#include <stdio.h>
#include <time.h>

const char *
format_rate(struct text32 *out, double value)
{
    /* Above these thresholds rounding would show a fourth digit. */
    int decimals = fabs(value) < 9.995 ? 2 : fabs(value) < 99.95 ? 1 : 0;

    if (isnan(value))
        out->s[0] = '\0';
    else if (fabs(value) < 1e15)
        snprintf(out->s, sizeof out->s, "%.*f", decimals, value);
    else
        snprintf(out->s, sizeof out->s, "%.2e", value);
    return out->s;
}

const char *
format_time(struct text32 *out, double ns, bool utf8)
{
    static const char *const units[] = {"ns", "us", "ms", "s"};
    struct text32 digits;
    size_t unit = 0;

    if (!(ns >= 0)) {
        snprintf(out->s, sizeof out->s, "-");
        return out->s;
    }
    while (ns >= 999.5 && unit < 3) {
        ns /= 1000;
        unit++;
    }
    if (ns == 0)
        snprintf(digits.s, sizeof digits.s, "0");
    else
        format_rate(&digits, ns);
    snprintf(out->s, sizeof out->s, "%.20s %s", digits.s,
             unit == 1 && utf8 ? "\u00b5s" : units[unit]);
    return out->s;
}

const char *
format_ordinal(struct text32 *out, long n)
{
    const char *ending = "th";

    if (n % 100 < 11 || n % 100 > 13) {
        if (n % 10 == 1)
            ending = "st";
        else if (n % 10 == 2)
            ending = "nd";
        else if (n % 10 == 3)
            ending = "rd";
    }
    snprintf(out->s, sizeof out->s, "%ld%s", n, ending);
    return out->s;
}

const char *
format_percent(struct text32 *out, double percent)
{
    if (isnan(percent))
        out->s[0] = '\0';
    else if (fabs(percent - round(percent)) < 0.05)
        snprintf(out->s, sizeof out->s, "%.0f %%", percent);
    else
        snprintf(out->s, sizeof out->s, "%.1f %%", percent);
    return out->s;
}

const char *
format_date(struct text32 *out, double ms)
{
    struct tm tm;
    time_t seconds;

    out->s[0] = '\0';
    if (!(ms >= 0 && ms < 1e15))
        return out->s;
    seconds = (time_t)(ms / 1000);
    if (localtime_r(&seconds, &tm) != NULL)
        strftime(out->s, sizeof out->s, "%Y-%m-%d %H:%M", &tm);
    return out->s;
}

const char *
format_plural(struct text32 *out, long n, const char *noun)
{
    snprintf(out->s, sizeof out->s, "%ld %s%s", n, noun, n == 1 ? "" : "s");
    return out->s;
}

void
format_bar(struct buf *out, double share, int width, bool utf8)
{
    /* U+2588 is a full block, U+2589 to U+258F are seven eighths down to one eighth. */
    int steps = utf8 ? 8 : 1;
    long length;

    if (!(share > 0))
        return;
    length = lround(fmin(share, 1) * width * steps);
    if (length == 0)
        length = 1;
    for (long i = 0; i < length / steps; i++)
        buf_puts(out, utf8 ? "\u2588" : "#");
    if (length % steps != 0) {
        const char block[] = {'\xe2', '\x96', (char)(0x90 - length % steps), '\0'};

        buf_puts(out, block);
    }
}
