#include "cli/text.h"

#include "base/utf8.h"

#include <stdlib.h>
#include <string.h>
#include <wchar.h>

int
text_width(const char *text)
{
    size_t len = strlen(text);
    int width = 0;

    while (len > 0) {
        uint32_t codepoint = 0;
        size_t used = utf8_decode(text, len, &codepoint);
        /* wcwidth() is negative in a locale that lacks the character, which takes a
         * column all the same. */
        int columns = used > 1 ? wcwidth((wchar_t)codepoint) : 1;

        width += columns >= 0 ? columns : 1;
        used = used != 0 ? used : 1;
        text += used;
        len -= used;
    }
    return width;
}

void
text_wrap(struct buf *out, const char *text, int indent, int width)
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
            buf_printf(out, "%s%*s%s", columns > 0 ? "\n" : "", indent, "", word);
            columns = indent + more;
        }
        free(word);
        text += len;
    }
    buf_puts(out, columns > 0 ? "\n" : "");
}
