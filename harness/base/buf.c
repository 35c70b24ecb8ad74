/* Growable strings, and allocation that ends the process where memory runs out. */
#include "base/buf.h"

#include "base/report.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void
buf_add(struct buf *b, const void *bytes, size_t len)
{
    if (b->len + len + 1 > b->cap) {
        size_t cap = b->cap != 0 ? b->cap : 256;

        while (cap < b->len + len + 1)
            cap *= 2;
        b->data = xrealloc(b->data, cap);
        b->cap = cap;
    }
    if (len > 0)
        memcpy(b->data + b->len, bytes, len);
    b->len += len;
    b->data[b->len] = '\0';
}

void
buf_puts(struct buf *b, const char *text)
{
    buf_add(b, text, strlen(text));
}

/* vasprintf() is not in POSIX. */
static char *
format_new(const char *format, va_list ap, size_t *len)
{
    char start[256], *text;
    va_list again;
    int n;

    va_copy(again, ap);
    n = vsnprintf(start, sizeof start, format, ap);
    if (n < 0)
        die(4, "no text can be made of the format \"%s\"", format);
    text = xmalloc((size_t)n + 1);
    if ((size_t)n < sizeof start)
        memcpy(text, start, (size_t)n + 1);
    else
        vsnprintf(text, (size_t)n + 1, format, again);
    va_end(again);
    *len = (size_t)n;
    return text;
}

void
buf_printf(struct buf *b, const char *format, ...)
{
    va_list ap;
    char *text;
    size_t len;

    va_start(ap, format);
    text = format_new(format, ap, &len);
    va_end(ap);
    buf_add(b, text, len);
    free(text);
}

const char *
buf_str(const struct buf *b)
{
    return b->data != NULL ? b->data : "";
}

void
buf_clear(struct buf *b)
{
    b->len = 0;
    if (b->data != NULL)
        b->data[0] = '\0';
}

void
buf_free(struct buf *b)
{
    free(b->data);
    *b = (struct buf){0};
}

char *
buf_take(struct buf *b)
{
    char *text = b->data != NULL ? b->data : xstrdup("");

    *b = (struct buf){0};
    return text;
}

void *
xmalloc(size_t size)
{
    void *p = malloc(size != 0 ? size : 1);

    if (p == NULL)
        die(4, "out of memory");
    return p;
}

void *
xcalloc(size_t count, size_t size)
{
    void *p = calloc(count != 0 ? count : 1, size != 0 ? size : 1);

    if (p == NULL)
        die(4, "out of memory");
    return p;
}

void *
xrealloc(void *p, size_t size)
{
    p = realloc(p, size != 0 ? size : 1);
    if (p == NULL)
        die(4, "out of memory");
    return p;
}

char *
xstrdup(const char *s)
{
    char *copy = strdup(s);

    if (copy == NULL)
        die(4, "out of memory");
    return copy;
}

char *
xasprintf(const char *format, ...)
{
    va_list ap;
    char *text;

    va_start(ap, format);
    text = xvasprintf(format, ap);
    va_end(ap);
    return text;
}

char *
xvasprintf(const char *format, va_list ap)
{
    size_t len;

    return format_new(format, ap, &len);
}
