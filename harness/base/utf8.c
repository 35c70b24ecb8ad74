/* Decodes UTF-8, classifies characters that could deceive a reader, and cleans text. */
#include "base/utf8.h"

#include <string.h>

/* This is the table of RFC 3629, section 4. Only the range of the second byte depends on
 * the first byte. */
size_t
utf8_decode(const char *text, size_t len, uint32_t *codepoint)
{
    const unsigned char *p = (const unsigned char *)text;
    unsigned char first = p[0], low = 0x80, high = 0xBF;
    uint32_t value;
    size_t need;

    if (first < 0x80) {
        *codepoint = first;
        return 1;
    }
    if (first >= 0xC2 && first <= 0xDF) {
        need = 2;
        value = first & 0x1Fu;
    } else if (first >= 0xE0 && first <= 0xEF) {
        need = 3;
        value = first & 0x0Fu;
        low = first == 0xE0 ? 0xA0 : 0x80;
        high = first == 0xED ? 0x9F : 0xBF;
    } else if (first >= 0xF0 && first <= 0xF4) {
        need = 4;
        value = first & 0x07u;
        low = first == 0xF0 ? 0x90 : 0x80;
        high = first == 0xF4 ? 0x8F : 0xBF;
    } else {
        return 0;
    }
    if (len < need || p[1] < low || p[1] > high)
        return 0;
    for (size_t i = 1; i < need; i++) {
        if ((p[i] & 0xC0) != 0x80)
            return 0;
        value = value << 6 | (p[i] & 0x3Fu);
    }
    *codepoint = value;
    return need;
}

/* How many of the first bytes are ASCII, in steps of eight. */
static size_t
ascii_prefix(const char *text, size_t len)
{
    size_t at = 0;
    uint64_t eight;

    for (; at + sizeof eight <= len; at += sizeof eight) {
        memcpy(&eight, text + at, sizeof eight);
        if ((eight & 0x8080808080808080u) != 0)
            break;
    }
    return at;
}

size_t
utf8_prefix(const char *text, size_t len)
{
    size_t at = ascii_prefix(text, len), step;
    uint32_t c;

    while (at < len && (step = utf8_decode(text + at, len - at, &c)) > 0) {
        at += step;
        at += ascii_prefix(text + at, len - at);
    }
    return at;
}

struct range {
    uint32_t from, to;
};

static bool
is_in(const struct range *ranges, size_t count, uint32_t c)
{
    for (size_t i = 0; i < count; i++)
        if (c >= ranges[i].from && c <= ranges[i].to)
            return true;
    return false;
}

bool
utf8_is_control(uint32_t c)
{
    return c < 0x20 || (c >= 0x7F && c <= 0x9F);
}

bool
utf8_is_bidi(uint32_t c)
{
    static const struct range RANGES[] = {
        {0x061C, 0x061C}, {0x200E, 0x200F}, {0x202A, 0x202E}, {0x2066, 0x2069}};

    return is_in(RANGES, sizeof RANGES / sizeof *RANGES, c);
}

/* The ranges are White_Space and Default_Ignorable_Code_Point of the Unicode Character
 * Database, 15.0. */
bool
utf8_is_invisible(uint32_t c)
{
    static const struct range RANGES[] = {
        {0x00A0, 0x00A0}, {0x00AD, 0x00AD},   {0x034F, 0x034F},   {0x061C, 0x061C},
        {0x115F, 0x1160}, {0x1680, 0x1680},   {0x17B4, 0x17B5},   {0x180B, 0x180F},
        {0x2000, 0x200F}, {0x2028, 0x202F},   {0x205F, 0x206F},   {0x3000, 0x3000},
        {0x3164, 0x3164}, {0xFE00, 0xFE0F},   {0xFEFF, 0xFEFF},   {0xFFA0, 0xFFA0},
        {0xFFF0, 0xFFFB}, {0x1BCA0, 0x1BCA3}, {0x1D173, 0x1D17A}, {0xE0000, 0xE0FFF},
    };

    return is_in(RANGES, sizeof RANGES / sizeof *RANGES, c);
}

/* How many bytes of printable ASCII stand first. Long texts are hardly anything else. */
static size_t
utf8_plain(const char *text, size_t len)
{
    size_t n = 0;

    while (n < len && text[n] >= ' ' && text[n] <= '~')
        n++;
    return n;
}

void
utf8_clean(struct buf *out, const char *text)
{
    size_t len = strlen(text);

    while (len > 0) {
        uint32_t c = 0;
        size_t used = utf8_plain(text, len);

        if (used > 0) {
            buf_add(out, text, used);
            text += used;
            len -= used;
            continue;
        }
        used = utf8_decode(text, len, &c);
        if (used == 0)
            buf_puts(out, "?");
        else if (c == '\n' || c == '\t' || (!utf8_is_control(c) && !utf8_is_bidi(c)))
            buf_add(out, text, used);
        used = used != 0 ? used : 1;
        text += used;
        len -= used;
    }
}

void
utf8_clean_copy(char *out, size_t size, const char *text)
{
    struct buf clean = {0};
    size_t len;

    utf8_clean(&clean, text);
    len = utf8_prefix(buf_str(&clean), clean.len < size ? clean.len : size - 1);
    memcpy(out, buf_str(&clean), len);
    memset(out + len, 0, size - len);
    buf_free(&clean);
}
