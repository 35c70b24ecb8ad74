/* Numbers as people read them. Each writes into a buffer of the caller's and returns it.
 */
#ifndef CLI_FORMAT_H
#define CLI_FORMAT_H

#include "core/buf.h"

#include <stdbool.h>
#include <stdint.h>

struct text32 {
    char s[32];
};

/* 52.0 µs, 1.23 ms, 980 ns: three digits; "-" for NaN or below 0. ASCII: us for µs. */
const char *format_time(struct text32 *out, double ns, bool utf8);

/* Three digits without a unit: 4.31, 43.1, 431, 4310; "" for NaN. */
const char *format_rate(struct text32 *out, double value);

const char *format_ordinal(struct text32 *out, long n);         /* 1st, 22nd, 113th */
const char *format_percent(struct text32 *out, double percent); /* 75 %, 66.7 % */
const char *format_date(struct text32 *out, double ms); /* local, 2025-11-20 20:46 */
const char *format_plural(struct text32 *out, long n,
                          const char *noun); /* 1 day, 2 days */

/* A bar `share` (0 to 1) of `width` columns long, in eighths of a column where UTF-8 is
 * understood; anything above 0 is visible. */
void format_bar(struct buf *out, double share, int width, bool utf8);

#endif
