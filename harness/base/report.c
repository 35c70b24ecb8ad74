/* Fills a report with its first sentence, and ends a program with a sentence. */
#include "base/report.h"

#include "base/own_program.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int
report_fail(struct report *r, const char *format, ...)
{
    va_list ap;

    if (r == NULL || report_is_set(r))
        return -1;
    va_start(ap, format);
    vsnprintf(r->text, sizeof r->text, format, ap);
    va_end(ap);
    return -1;
}

int
report_errno(struct report *r, const char *format, ...)
{
    int saved = errno;
    va_list ap;
    size_t used;

    if (r == NULL || report_is_set(r))
        return -1;
    va_start(ap, format);
    vsnprintf(r->text, sizeof r->text, format, ap);
    va_end(ap);
    used = strlen(r->text);
    snprintf(r->text + used, sizeof r->text - used, ": %s", strerror(saved));
    errno = saved;
    return -1;
}

void
report_prefix(struct report *r, const char *format, ...)
{
    char old[sizeof r->text];
    va_list ap;
    size_t used;

    if (r == NULL || !report_is_set(r))
        return;
    memcpy(old, r->text, sizeof old);
    va_start(ap, format);
    vsnprintf(r->text, sizeof r->text, format, ap);
    va_end(ap);
    used = strlen(r->text);
    snprintf(r->text + used, sizeof r->text - used, ": %s", old);
}

bool
report_is_set(const struct report *r)
{
    return r->text[0] != '\0';
}

noreturn void
die(int status, const char *format, ...)
{
    va_list ap;

    fprintf(stderr, "%s: ", own_program_name());
    va_start(ap, format);
    vfprintf(stderr, format, ap);
    va_end(ap);
    fputc('\n', stderr);
    exit(status);
}
