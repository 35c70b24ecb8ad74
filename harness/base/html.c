#include "base/html.h"

#include "base/report.h"
#include "base/utf8.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define REPLACEMENT "\xef\xbf\xbd" /* U+FFFD */

static const char *
html_entity(char c)
{
    switch (c) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    case '\'':
        return "&#39;";
    default:
        return NULL;
    }
}

/* Adds one character of a text, of `len` bytes; 0 where the byte is not UTF-8. */
static void
html_add_character(struct html *h, const char *at, size_t len, uint32_t codepoint)
{
    const char *entity = len == 1 ? html_entity(*at) : NULL;

    if (entity != NULL)
        buf_puts(&h->out, entity);
    else if (len == 0 ||
             (utf8_is_control(codepoint) && codepoint != '\n' && codepoint != '\t'))
        buf_puts(&h->out, REPLACEMENT);
    else if (utf8_is_bidi(codepoint))
        buf_printf(&h->out, "[U+%04X]", (unsigned)codepoint);
    else
        buf_add(&h->out, at, len);
}

void
html_text(struct html *h, const char *text, size_t len)
{
    size_t i = 0;

    while (i < len) {
        size_t plain = i, n;
        uint32_t codepoint = 0;

        while (plain < len && text[plain] >= ' ' && text[plain] < 0x7f &&
               html_entity(text[plain]) == NULL)
            plain++;
        buf_add(&h->out, text + i, plain - i);
        i = plain;
        if (i == len)
            break;
        n = utf8_decode(text + i, len - i, &codepoint);
        /* A line ends with CR LF as forms send it, and with LF alone elsewhere. */
        if (codepoint != '\r' || i + 1 == len || text[i + 1] != '\n')
            html_add_character(h, text + i, n, codepoint);
        i += n > 0 ? n : 1;
    }
}

/* Writes one conversion, and returns what of the format is behind it. */
static const char *
html_convert(struct html *h, const char *at, va_list *ap)
{
    if (strncmp(at, "%s", 2) == 0) {
        const char *text = va_arg(*ap, const char *);

        html_text(h, text, strlen(text));
        return at + 2;
    }
    if (strncmp(at, "%.*s", 4) == 0) {
        const int len = va_arg(*ap, int);
        const char *text = va_arg(*ap, const char *);

        html_text(h, text, strnlen(text, (size_t)len));
        return at + 4;
    }
    if (strncmp(at, "%d", 2) == 0) {
        buf_printf(&h->out, "%d", va_arg(*ap, int));
        return at + 2;
    }
    if (strncmp(at, "%lld", 4) == 0) {
        buf_printf(&h->out, "%lld", va_arg(*ap, long long));
        return at + 4;
    }
    if (strncmp(at, "%zu", 3) == 0) {
        buf_printf(&h->out, "%zu", va_arg(*ap, size_t));
        return at + 3;
    }
    if (strncmp(at, "%.", 2) == 0 && at[2] >= '0' && at[2] <= '9' && at[3] == 'f') {
        buf_printf(&h->out, "%.*f", at[2] - '0', va_arg(*ap, double));
        return at + 4;
    }
    if (strncmp(at, "%%", 2) != 0)
        die(4, "html() has no conversion \"%.4s\"", at);
    buf_puts(&h->out, "%");
    return at + 2;
}

void
html_print(struct html *h, const char *format, ...)
{
    va_list ap;

    va_start(ap, format);
    while (*format != '\0') {
        const size_t len = strcspn(format, "%");

        buf_add(&h->out, format, len);
        format += len;
        if (*format == '%')
            format = html_convert(h, format, &ap);
    }
    va_end(ap);
}

void
html_url(struct html *h, const char *text)
{
    static const char PLAIN[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~";

    for (; *text != '\0'; text++)
        if (strchr(PLAIN, *text) != NULL)
            buf_add(&h->out, text, 1);
        else
            buf_printf(&h->out, "%%%02X", (unsigned)(unsigned char)*text);
}

void
html_join(struct html *h, const struct html *other)
{
    buf_add(&h->out, buf_str(&other->out), other->out.len);
}
