#include "cli/text.h"

#include "base/utf8.h"

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
