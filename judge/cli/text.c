#include "cli/text.h"

#include <string.h>
#include <wchar.h>

/* RFC 3629, section 4. */
size_t
utf8_decode(const char *text, size_t len, uint32_t *codepoint)
{
    const unsigned char *b = (const unsigned char *)text;
    uint32_t value, least;
    size_t need;

    if (b[0] < 0x80) {
        *codepoint = b[0];
        return 1;
    }
    if (b[0] >= 0xc2 && b[0] <= 0xdf) {
        need = 2;
        value = b[0] & 0x1fu;
        least = 0x80;
    } else if ((b[0] & 0xf0) == 0xe0) {
        need = 3;
        value = b[0] & 0x0fu;
        least = 0x800;
    } else if (b[0] >= 0xf0 && b[0] <= 0xf4) {
        need = 4;
        value = b[0] & 0x07u;
        least = 0x10000;
    } else {
        return 0;
    }
    if (need > len)
        return 0;
    for (size_t i = 1; i < need; i++) {
        if ((b[i] & 0xc0) != 0x80)
            return 0;
        value = value << 6 | (b[i] & 0x3fu);
    }
    if (value < least || value > 0x10ffff || (value >= 0xd800 && value <= 0xdfff))
        return 0;
    *codepoint = value;
    return need;
}

int
text_width(const char *text)
{
    size_t len = strlen(text);
    int width = 0;

    while (len > 0) {
        uint32_t codepoint = 0;
        size_t used = utf8_decode(text, len, &codepoint);
        /* Negative in a locale that lacks the character: it takes a column all the same.
         */
        int columns = used > 1 ? wcwidth((wchar_t)codepoint) : 1;

        width += columns >= 0 ? columns : 1;
        used = used != 0 ? used : 1;
        text += used;
        len -= used;
    }
    return width;
}

void
text_clean(struct buf *out, const char *text)
{
    size_t len = strlen(text);

    while (len > 0) {
        uint32_t c = 0;
        size_t used = utf8_decode(text, len, &c);
        /* C0, DEL and C1: among them ESC and CSI, which start terminal commands. */
        bool control = (c < 0x20 && c != '\n' && c != '\t') || (c >= 0x7f && c <= 0x9f);
        /* U+202A to 202E and U+2066 to 2069 turn the direction of what follows. */
        bool bidi = (c >= 0x202a && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);

        if (used == 0)
            buf_puts(out, "?");
        else if (!control && !bidi)
            buf_add(out, text, used);
        used = used != 0 ? used : 1;
        text += used;
        len -= used;
    }
}
