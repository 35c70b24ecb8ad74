#include "daemon/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

void
log_line(const char *format, ...)
{
    struct timespec ts;
    struct tm tm;
    char when[32], text[4096];
    va_list ap;

    clock_gettime(CLOCK_REALTIME, &ts);
    localtime_r(&ts.tv_sec, &tm);
    strftime(when, sizeof when, "%Y-%m-%d %H:%M:%S", &tm);
    va_start(ap, format);
    vsnprintf(text, sizeof text, format, ap);
    va_end(ap);
    /* One call writes the line, so that it does not mix with a child's. */
    fprintf(stderr, "%s.%03ld %s\n", when, ts.tv_nsec / 1000000, text);
}
