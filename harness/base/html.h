/*
 * Writes HTML. What stands in a page is either a literal of the program's, or text that
 * is escaped on its way. There is no third way in but HTML that another library has made,
 * which is a type of its own (daemon/web/html.h).
 */
#ifndef BASE_HTML_H
#define BASE_HTML_H

#include "base/buf.h"

#include <stddef.h>

struct html {
    struct buf out;
};

/* Writes a literal with the arguments in it. The conversions are %s, %.*s, %d, %lld, %zu,
 * %.Nf and %%. What %s and %.*s bring is escaped, so that it may stand in an element and
 * in an attribute's quotes. It must not stand in a script, a style or an unquoted
 * attribute. */
#define html(h, format, ...) html_print((h), "" format "", ##__VA_ARGS__)

void html_print(struct html *h, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Writes text, escaped as above: the first `len` bytes. What is not UTF-8, and control
 * characters other than newline and tab, become U+FFFD. Characters that turn the
 * direction of writing become their names, because a source must not look other than it
 * is. */
void html_text(struct html *h, const char *text, size_t len);

/* Writes one segment of a path, or one value of a query, inside of an attribute's quotes.
 * Letters, digits and -._~ stay; every other byte is percent-encoded (RFC 3986, 2.1). */
void html_url(struct html *h, const char *text);

/* Adds what was written elsewhere. */
void html_join(struct html *h, const struct html *other);

#endif
