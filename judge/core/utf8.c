#include "core/utf8.h"

/* Length of the well-formed sequence at p, 0 if there is none. The table of RFC 3629,
 * section 4: only the second byte's range depends on the first. */
static size_t
sequence(const unsigned char *p, size_t left)
{
    unsigned char first = p[0], low = 0x80, high = 0xBF;
    size_t len;

    if (first < 0x80)
        return 1;
    if (first >= 0xC2 && first <= 0xDF) {
        len = 2;
    } else if (first >= 0xE0 && first <= 0xEF) {
        len = 3;
        low = first == 0xE0 ? 0xA0 : 0x80;
        high = first == 0xED ? 0x9F : 0xBF;
    } else if (first >= 0xF0 && first <= 0xF4) {
        len = 4;
        low = first == 0xF0 ? 0x90 : 0x80;
        high = first == 0xF4 ? 0x8F : 0xBF;
    } else {
        return 0;
    }
    if (left < len || p[1] < low || p[1] > high)
        return 0;
    for (size_t i = 2; i < len; i++)
        if ((p[i] & 0xC0) != 0x80)
            return 0;
    return len;
}

size_t
utf8_prefix(const char *text, size_t len)
{
    const unsigned char *p = (const unsigned char *)text;
    size_t at = 0, step;

    while (at < len && (step = sequence(p + at, len - at)) > 0)
        at += step;
    return at;
}
