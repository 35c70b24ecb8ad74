/* A growable string of bytes, always NUL-terminated. The owner calls buf_free. */
#ifndef BASE_BUF_H
#define BASE_BUF_H

#include <stdarg.h>
#include <stddef.h>

struct buf {
    char *data; /* NULL until something was added; buf_str() never returns NULL */
    size_t len; /* bytes, without the terminating NUL */
    size_t cap; /* bytes that data has memory for */
};

/* Running out of memory ends the process. Every program here can be started again, and a
 * half-written message is worse than none. */
void buf_add(struct buf *b, const void *bytes, size_t len);
void buf_puts(struct buf *b, const char *text);
void buf_printf(struct buf *b, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
const char *buf_str(const struct buf *b);
void buf_clear(struct buf *b);
void buf_free(struct buf *b);

/* Hands the string over to the caller, who frees it. b is empty afterwards. The string is
 * never NULL. */
char *buf_take(struct buf *b);

/* malloc and friends that end the process instead of returning NULL. */
void *xmalloc(size_t size);
void *xcalloc(size_t count, size_t size);
void *xrealloc(void *p, size_t size);
char *xstrdup(const char *s);
char *xasprintf(const char *format, ...) __attribute__((format(printf, 1, 2)));
char *xvasprintf(const char *format, va_list ap) __attribute__((format(printf, 1, 0)));

#endif
