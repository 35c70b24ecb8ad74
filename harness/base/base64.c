#include "base/base64.h"

#include <stdint.h>
#include <string.h>

static const char LETTERS[] =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

void
base64_add(struct buf *out, const void *bytes, size_t len)
{
    const unsigned char *from = bytes;

    for (size_t i = 0; i < len; i += 3) {
        const size_t left = len - i;
        const uint32_t group = (uint32_t)from[i] << 16 |
                               (left > 1 ? (uint32_t)from[i + 1] << 8 : 0) |
                               (left > 2 ? from[i + 2] : 0);
        const char text[4] = {LETTERS[group >> 18], LETTERS[group >> 12 & 63],
                              left > 1 ? LETTERS[group >> 6 & 63] : '=',
                              left > 2 ? LETTERS[group & 63] : '='};

        buf_add(out, text, sizeof text);
    }
}

/* The value of a letter, or -1. */
static int
base64_value(char letter)
{
    if (letter >= 'A' && letter <= 'Z')
        return letter - 'A';
    if (letter >= 'a' && letter <= 'z')
        return letter - 'a' + 26;
    if (letter >= '0' && letter <= '9')
        return letter - '0' + 52;
    if (letter == '+')
        return 62;
    return letter == '/' ? 63 : -1;
}

/* Reads four letters, of which the last `padding` are '='. */
static bool
base64_read_group(const char *text, size_t padding, unsigned char bytes[3])
{
    uint32_t group = 0;

    for (size_t i = 0; i < 4; i++) {
        const int value = i < 4 - padding ? base64_value(text[i]) : 0;

        if (value < 0)
            return false;
        group = group << 6 | (uint32_t)value;
    }
    bytes[0] = (unsigned char)(group >> 16);
    bytes[1] = (unsigned char)(group >> 8);
    bytes[2] = (unsigned char)group;
    return (padding < 1 || bytes[2] == 0) && (padding < 2 || bytes[1] == 0);
}

bool
base64_read(struct buf *out, const char *text)
{
    const size_t len = strlen(text);
    struct buf read = {0};
    unsigned char bytes[3];
    bool well = len % 4 == 0;

    for (size_t i = 0; i < len && well; i += 4) {
        size_t padding = 0;

        if (i + 4 == len && text[i + 3] == '=')
            padding = text[i + 2] == '=' ? 2 : 1;
        well = base64_read_group(text + i, padding, bytes);
        if (well)
            buf_add(&read, bytes, sizeof bytes - padding);
    }
    if (well)
        buf_add(out, buf_str(&read), read.len);
    buf_free(&read);
    return well;
}
