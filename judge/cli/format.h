/* Numbers as people read them. Each function writes into the caller's buffer and returns
 * it. */
#ifndef CLI_FORMAT_H
#define CLI_FORMAT_H

#include "base/buf.h"

#include <stdbool.h>
#include <stdint.h>

struct text32 {
    char s[32];
};

/* A time with three digits, such as 52.0 µs or 1.23 ms. It is "-" for NaN and below 0.
 * Without UTF-8 it has us for µs. */
const char *format_time(struct text32 *out, double ns, bool utf8);

/* Three digits without a unit, such as 4.31, 43.1, 431 or 4310. It is "" for NaN. */
const char *format_rate(struct text32 *out, double value);

#define SPEEDUP_SHOWN 1.005 /* a smaller one would be told as 1.00x by format_rate() */

const char *format_ordinal(struct text32 *out, long n);         /* 1st, 22nd, 113th */
const char *format_percent(struct text32 *out, double percent); /* 75 %, 66.7 % */
const char *format_date(struct text32 *out, double ms); /* local, 2025-11-20 20:46 */
const char *format_plural(struct text32 *out, long n,
                          const char *noun); /* 1 day, 2 days */

/* A bar whose length is `share`, from 0 to 1, of `width` columns. With UTF-8 it is drawn
 * in eighths of a column. Every share above 0 is visible. */
void format_bar(struct buf *out, double share, int width, bool utf8);

#endif
