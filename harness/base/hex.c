#include "base/hex.h"

#include "base/file.h"

#include <string.h>

#define SOME_BYTES 32

void
hex_write(char *out, const void *bytes, size_t len)
{
    static const char DIGITS[] = "0123456789abcdef";
    const unsigned char *at = bytes;

    for (size_t i = 0; i < len; i++) {
        out[2 * i] = DIGITS[at[i] >> 4];
        out[2 * i + 1] = DIGITS[at[i] & 15];
    }
    out[2 * len] = '\0';
}

void
hex_draw(char *out, size_t bytes)
{
    unsigned char some[SOME_BYTES];

    for (size_t at = 0; at < bytes; at += SOME_BYTES) {
        const size_t n = bytes - at < SOME_BYTES ? bytes - at : SOME_BYTES;

        random_bytes(some, n);
        hex_write(out + 2 * at, some, n);
    }
    explicit_bzero(some, sizeof some);
}
