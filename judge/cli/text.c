#include "cli/text.h"

#include "base/utf8.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <wchar.h>

/* Reads the first character of a text that is not empty. Returns its length in bytes, and
 * sets how many columns it takes. */
static size_t
text_step(const char *text, size_t len, int *columns)
{
    uint32_t codepoint = 0;
    const size_t used = utf8_decode(text, len, &codepoint);

    /* wcwidth() is negative in a locale that lacks the character, which takes a column
     * all the same. */
    *columns = used > 1 ? wcwidth((wchar_t)codepoint) : 1;
    if (*columns < 0)
        *columns = 1;
    return used != 0 ? used : 1;
}

bool
text_mentions(const char *text, const char *word)
{
    const size_t len = strlen(word);

    while (strncasecmp(text, word, len) != 0)
        if (*text++ == '\0')
            return false;
    return true;
}

size_t
text_fitting(const char *text, int width)
{
    const size_t len = strlen(text);
    size_t at = 0;
    int used = 0, columns;

    while (at < len) {
        const size_t step = text_step(text + at, len - at, &columns);

        if (used + columns > width)
            break;
        used += columns;
        at += step;
    }
    return at;
}

int
text_width(const char *text)
{
    size_t len = strlen(text);
    int width = 0, columns;

    while (len > 0) {
        const size_t used = text_step(text, len, &columns);

        width += columns;
        text += used;
        len -= used;
    }
    return width;
}

void
text_cut(struct buf *out, const char *text, int width, bool utf8)
{
    const char *ellipsis = utf8 ? "\u2026" : "..";
    const int rest = width - (utf8 ? 1 : 2);

    if (text_fitting(text, width) == strlen(text))
        buf_puts(out, text);
    else if (rest < 0)
        buf_add(out, text, text_fitting(text, width));
    else
        buf_printf(out, "%.*s%s", (int)text_fitting(text, rest), text, ellipsis);
}

void
text_wrap(struct buf *out, const char *text, int indent, int width)
{
    text_wrap_hanging(out, text, indent, indent, width);
}

void
text_wrap_hanging(struct buf *out, const char *text, int first, int indent, int width)
{
    int columns = 0; /* of the line that is being made; 0: none is */

    for (text += strspn(text, " "); *text != '\0'; text += strspn(text, " ")) {
        const size_t len = strcspn(text, " ");
        char *word = xasprintf("%.*s", (int)len, text);
        const int more = text_width(word);

        if (columns > 0 && columns + 1 + more <= width) {
            buf_printf(out, " %s", word);
            columns += 1 + more;
        } else {
            const int before = columns > 0 ? indent : first;

            buf_printf(out, "%s%*s%s", columns > 0 ? "\n" : "", before, "", word);
            columns = before + more;
        }
        free(word);
        text += len;
    }
    buf_puts(out, columns > 0 ? "\n" : "");
}
